import { createLeadSandbox } from '@lead-distribution/msw'
import { setupServer } from 'msw/node'
import { type Adapter, decodeResponse, encodeRequest, fetchStream, type RequestOptions } from './adapter.ts'

/**
 * The sandbox behind an msw server that treats an unhandled request as an error, called with the real `fetch`. Its
 * callbacks go out by `fetch` too. All else that a server on a socket has and this has not is what {@link whyNot} says.
 */
export async function openMswAdapter(): Promise<Adapter> {
  const sandbox = await createLeadSandbox({ callbacks: 'fetch' })
  const server = setupServer(...sandbox.handlers)
  server.listen({ onUnhandledFrame: 'error' })
  const { origin: url } = new URL(sandbox.account.base_url)
  return {
    url,
    async request(method, target, request = {}) {
      const reason = whyNot(method, target, request)
      if (reason !== undefined) throw new Error(`Not behind msw: ${reason}.`)
      const { headers, body } = encodeRequest(request)
      const reply = await fetch(`${url}${target}`, {
        method,
        headers,
        redirect: 'manual',
        ...(body.byteLength > 0 && { body: body as Uint8Array<ArrayBuffer> }),
        ...(request.signal && { signal: request.signal }),
      })
      return decodeResponse(reply.status, Object.fromEntries(reply.headers), await reply.text())
    },
    stream: (target, headers) => fetchStream(`${url}${target}`, headers),
    async close() {
      server.close()
      await sandbox.close()
    },
  }
}

/** The reason why msw cannot get a request; undefined if it can. */
export function whyNot(method: string, target: string, { headers = {} }: RequestOptions = {}): string | undefined {
  if (/#|\/(\.|%2e){1,2}(?=[/?]|$)/i.test(target)) return 'fetch normalizes fragments and dots in a path'
  const { pathname } = new URL(`https://sandbox.test${target}`)
  if (!/^\/(api\/v1|_sandbox)(\/|$)/.test(pathname)) return 'paths outside the base URL belong to the page'
  if (/openapi\.json$|^\/_sandbox\/docs/.test(pathname))
    return 'the OpenAPI documents are left out because of their size'
  if (method === 'TRACE') return 'fetch sends no TRACE'
  if (Object.keys(headers).some(name => /^(host|origin)$/i.test(name)))
    return "no page is foreign: every caller is in the sandbox's process"
  return undefined
}
