import { Agent, request as httpRequest } from 'node:http'
import { type ServerOptions, startServer } from '@lead-distribution/sandbox'
import { type Adapter, type AdapterResponse, decodeResponse, encodeRequest, fetchStream } from './adapter.ts'

/** A whole server on a free port, called through real sockets. */
export async function openExpressAdapter(options: ServerOptions = {}): Promise<Adapter> {
  const server = await startServer({ port: 0, logLevel: 'silent', ...options })
  // The server may close a kept-alive connection at the moment it is reused.
  const agent = new Agent({ keepAlive: false })
  return {
    url: server.url,
    request(method, target, request = {}) {
      const { headers, body } = encodeRequest(request)
      return new Promise<AdapterResponse>((resolve, reject) => {
        const { hostname, port } = new URL(server.url)
        const length = body.byteLength > 0 ? { 'content-length': String(body.byteLength) } : {}
        const outgoing = httpRequest({
          agent,
          hostname,
          port,
          method,
          path: target,
          headers: { ...length, ...headers },
          ...(request.signal && { signal: request.signal }),
        })
        outgoing.on('error', reject)
        outgoing.on('response', response => {
          const chunks: Buffer[] = []
          response.on('data', chunk => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            resolve(decodeResponse(response.statusCode ?? 0, response.headers as AdapterResponse['headers'], text))
          })
        })
        outgoing.end(body)
      })
    },
    stream: (target, headers) => fetchStream(`${server.url}${target}`, headers),
    async close() {
      agent.destroy()
      await server.close()
    },
  }
}
