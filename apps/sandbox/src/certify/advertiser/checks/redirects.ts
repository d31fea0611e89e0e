import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyHeader } from '@lead-distribution/contract'
import type { HttpResponse } from '@lead-distribution/http'
import { failed, notSeen, passed } from '../../certify-check.ts'
import { until } from '../until.ts'
import type { LenderCheck } from './lender-check.ts'
import { fault } from './retries.ts'

/** The key belongs to the service, and a redirect leads to who knows whom (Spec 5). */
export const refusedRedirect: LenderCheck = {
  id: 'refused.redirect',
  spec: '5',
  expected: 'A redirect to another host never gets the API key.',
  mend: 'Follow no redirect of the service: take a 3xx for a fault of it, as a 500.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    const key = round.account().advertisers[0]?.api_key ?? ''
    await using elsewhere = await openElsewhere(key)
    let pixels = 0
    return await round.answering(
      lead,
      // The second pixel is refused: it is then that an application tries its key.
      async ({ method }) =>
        method === 'GET' && pixels++ > 0 ? { ...fault(401), status: 401 } : redirect(elsewhere.url),
      async () => {
        const way = round.canReport ? 'report' : 'postback'
        const { calls, trouble } = await round.ask(lead, 'registration', { way, done: each => each.length > 0 })
        if (calls.length === 0) return notSeen(`${trouble}Nothing arrived for the lead.`)
        await until(() => elsewhere.gotKey(), round.quietMs)
        if (elsewhere.gotKey())
          return failed('The application followed a redirect to another host, and sent its API key there.')
        return passed(elsewhere.count() > 0 ? 'It followed the redirect, without its key.' : 'It followed no redirect.')
      },
    )
  },
}

function redirect(location: string): HttpResponse {
  return { ...fault(500), status: 307, headers: { location } }
}

/** Another host, which keeps nothing of what it gets but whether the key was in it. */
async function openElsewhere(key: string) {
  let count = 0
  let gotKey = false
  const server = createServer((request, response) => {
    count++
    gotKey ||= keyHeader in request.headers || JSON.stringify([request.url, request.headers]).includes(key)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/moved`,
    count: () => count,
    gotKey: () => gotKey,
    async [Symbol.asyncDispose](): Promise<void> {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
