import { forcedRefusal } from '@lead-distribution/test-leads'
import type { FakeReply } from './fake-reply.ts'
import type { FakeRequest } from './fake-request.ts'
import { networkFault } from './network-fault.ts'
import { notAllowed } from './refuse.ts'
import type { JsonReply } from './serve.ts'

/** Answers a request as the reply says. `serve` does what was asked; faults with nothing done do not call it. */
export async function play(
  reply: FakeReply | undefined,
  request: FakeRequest,
  serve: () => JsonReply,
): Promise<Response> {
  if (typeof reply === 'function') return reply(request)
  if (typeof reply === 'object') return reply.clone()
  if (reply === 'timeout') return new Promise(() => {})
  if (reply === 'reset') throw broken()
  const { status, body, headers } = refusalOf(reply, request.method) ?? serve()
  if (reply === 'lost_reply') throw broken()
  const text = JSON.stringify(body)
  return new Response(reply === 'malformed' ? text.slice(0, text.length / 2) : text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}

/** What an ordered error answers; undefined for a word that is none. */
function refusalOf(word: FakeReply | undefined, method: string): JsonReply | undefined {
  if (word === 'rate_limited') return { ...forcedRefusal(429), headers: { 'retry-after': '1' } }
  if (word === 'http_405') return notAllowed(['GET', 'POST', 'PATCH'].filter(other => other !== method))
  const status = /^http_(\d+)$/.exec(String(word))?.[1]
  return status === undefined ? undefined : forcedRefusal(Number(status))
}

function broken() {
  return networkFault('ECONNRESET', 'the fake service broke the connection, as the test asked for')
}
