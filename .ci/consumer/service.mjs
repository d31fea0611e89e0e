// As much of the service as the smoke program meets, in its own process and on a real socket. Every caller has
// its own base address below `/{caller}`, so that its requests are counted for itself.
import { createServer } from 'node:http'

/** What must not be seen in anything that a program prints. */
export const injected = {
  apiKey: 'sandbox_planted_key_5f1c',
  // Characters that URL libraries rewrite.
  token: 'injected~token%2Fa+b==',
  email: 'injected.person@example.com',
}

const leadId = '33333333-3333-4333-8333-333333333333'

/** Starts it on a free port of this machine. */
export async function startService() {
  const submissions = new Map()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*, apikey, content-type')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    const [, caller, ...path] = request.url.split('/')
    const asked = `${request.method} /${path.join('/')}`
    if (asked === 'GET /submissions') return reply(200, submissions.get(caller) ?? 0)
    if (asked === 'POST /api/v1/lead') return submitLead(caller)
    if (asked.startsWith(`GET /api/v1/lead/${leadId}/status?`)) return reportEvent(asked)
    return reply(404, { error: { code: 'not_found', message: 'There is no such path.' } })

    function submitLead() {
      submissions.set(caller, (submissions.get(caller) ?? 0) + 1)
      if (request.headers.apikey !== injected.apiKey) return reply(401, { error: { code: 'unauthorized' } })
      if (JSON.parse(body).customer.contact.email.address.startsWith('cut')) return cutBody()
      reply(200, { lead_id: leadId, status: 'distributed', redirect_url: 'https://lender.example/apply?lead=1' })
    }

    function reportEvent() {
      // The delivered token, byte for byte, and no key.
      const genuine = request.url.includes(`token=${injected.token}&event=approved`) && !request.headers.apikey
      reply(genuine ? 200 : 401, { lead_id: leadId, status: 'received', event: 'approved' })
    }

    // After the headers: before them a browser itself sends a request again on a connection that it had used.
    function cutBody() {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' })
      response.write('{"lead_id":"', () => response.socket.destroy())
    }

    function reply(status, value) {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    /** The settings of the smoke program of one caller. */
    settingsOf: caller => ({ service: `http://127.0.0.1:${server.address().port}/${caller}`, leadId, ...injected }),
    stop: () => new Promise(resolve => server.close(resolve).closeAllConnections()),
  }
}
