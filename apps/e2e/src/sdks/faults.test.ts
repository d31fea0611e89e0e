import { getEventListeners } from 'node:events'
import type { ClientOptions, LeadSdkError } from '@lead-distribution/publisher-sdk'
import { describe, expect, it } from 'vitest'
import { type CallName, callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { leaks } from './injected.fixture.ts'
import * as steps from './steps.fixture.ts'
import { type Step, startWireServer } from './wire-server.fixture.ts'

type CallLimits = Pick<ClientOptions, 'timeoutMs' | 'deadlineMs'>

/** The end of a call. */
export interface End {
  readonly code: LeadSdkError['code']
  readonly sent: LeadSdkError['sent']
  readonly retryable: boolean
  /** The number of times the request reaches the server. */
  readonly attempts: number
}

/** A fault that a running server injects. */
export interface Fault {
  readonly name: string
  readonly step: Step
  readonly submit: End
  /** The end of calls that are safe to repeat. */
  readonly repeatable: End
  /** A complete response is read. */
  readonly replied: boolean
  /** Set if the server never finishes, or asks for a longer wait. Otherwise, a busy machine must not cause a time-out. */
  readonly limits?: CallLimits
}

const end = (code: LeadSdkError['code'], sent: LeadSdkError['sent'], retryable: boolean, attempts: number): End => ({
  code,
  sent,
  retryable,
  attempts,
})
const unknown = {
  submit: end('outcome_unknown', 'maybe', false, 1),
  repeatable: end('outcome_unknown', 'maybe', true, 3),
}
const unavailable = { submit: unknown.submit, repeatable: end('server', 'yes', true, 3) }
const unexpected = { submit: unknown.submit, repeatable: end('protocol', 'yes', false, 1) }
const limited = { submit: end('rate_limit', 'yes', true, 3), repeatable: end('rate_limit', 'yes', true, 3) }
/** A wait beyond the deadline. */
const tooLong = (ends: Pick<Fault, 'submit' | 'repeatable'>) => ({
  submit: { ...ends.submit, attempts: 1 },
  repeatable: { ...ends.repeatable, attempts: 1 },
  limits: { deadlineMs: 20_000 },
})
const stops = (code: LeadSdkError['code']) => ({
  submit: end(code, 'yes', false, 1),
  repeatable: end(code, 'yes', false, 1),
})

const lost = (name: string, step: Step): Fault => ({ name, step, ...unknown, replied: false })
const stalled = (name: string, step: Step): Fault => ({ ...lost(name, step), limits: { timeoutMs: 500 } })
const unread = (name: string, step: Step): Fault => ({ name, step, ...unknown, replied: true })
const answered = (
  status: number,
  ends: Pick<Fault, 'submit' | 'repeatable' | 'limits'>,
  headers: Record<string, string> = {},
  body: unknown = { error: 'some_code', message: 'm' },
): Fault => ({
  name: [`a ${status}`, ...Object.entries(headers).map(header => header.join(': '))].join(', '),
  step: steps.replies(status, body, headers),
  ...ends,
  replied: true,
})

const elsewhere = { location: 'http://127.0.0.1:9/elsewhere' }

/** Every fault of a server that the request reached. */
export const faults: readonly Fault[] = [
  lost('a reset after the request', steps.resets),
  lost('a connection that is closed without a reply', steps.hangsUp),
  lost('a truncated status line', steps.writesAndHangsUp('HTTP/1.1 2')),
  lost('a response that is not HTTP', steps.writesAndHangsUp('220 mail.example ESMTP\r\n')),
  lost('a truncated body', steps.cutsBody),
  lost('a truncated chunked body', steps.cutsChunks),
  stalled('no reply at all', steps.stalls),
  stalled('a stalled chunked body', steps.stallsChunks),
  unread('a 200 that is HTML', steps.replies(200, '<html>', { 'content-type': 'text/html' })),
  unread('a 200 that is empty', steps.replies(200, '')),
  unread('a 204', steps.replies(204, '')),
  unread('a 200 that is an array', steps.replies(200, [])),
  unread('a 200 that is null', steps.replies(200, 'null')),
  unread('a 200 that is a number', steps.replies(200, '7')),
  // The runtime returns what it can decompress, without an error.
  unread('a truncated compressed body', steps.cutsGzip),
  unread('a 200 with truncated JSON', steps.replies(200, '{"lead_id":"')),
  unread('a 200 of ten MiB', steps.repliesHugely),
  unread('a 200 of ten MiB without a length', steps.repliesHugelyUnannounced),
  unread('a 200 that decompresses to ten MiB', steps.repliesWithBomb),
  ...[408, 500, 502, 503, 504, 505, 507, 520, 599].map(status => answered(status, unavailable)),
  answered(503, tooLong(unavailable), { 'retry-after': '86400' }),
  answered(502, unavailable, { 'content-type': 'text/html' }, '<html>'),
  ...[300, 302, 303, 304].map(status => answered(status, unexpected, {}, '')),
  answered(302, unexpected, elsewhere),
  ...[301, 307, 308].map(status => answered(status, stops('protocol'), elsewhere)),
  answered(429, limited),
  ...['0', '-5', 'soon', '1e9'].map(wait => answered(429, limited, { 'retry-after': wait })),
  ...['25', '9'.repeat(30), 'Fri, 31 Dec 2199 23:59:59 GMT'].map(wait =>
    answered(429, tooLong(limited), { 'retry-after': wait }),
  ),
  ...[400, 404, 405, 409, 410, 413, 415, 422, 425, 426].map(status => answered(status, stops('bad_request'))),
  ...[401, 403].map(status => answered(status, stops('auth'))),
  answered(401, stops('auth'), { 'content-type': 'text/html' }, '<html>'),
  answered(422, stops('bad_request'), {}, { error: 'publisher_mismatch', message: 'm' }),
  answered(501, stops('server')),
]

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

async function meet(name: CallName, fault: Fault) {
  const server = await startWireServer(fault.step)
  const { client, events, steps } = clientOf(server.baseUrl, fault.limits)
  const { signal } = new AbortController()
  const before = timers()
  const made = calls[name].make({ client, options: { signal } })
  const error = await errorOf(made)
  const { outcome } = await made.catch(() => ({ outcome: 'thrown' }))
  const left = { timers: timers() - before, listeners: getEventListeners(signal, 'abort').length }
  return { server, outcome, error, events, steps, left }
}

/** Returns the events of a call with this end. */
function expectedEvents(attempts: number, replied: boolean): string[] {
  const each = Array.from({ length: attempts }, (_, index) => [
    `attempt ${index + 1}`,
    ...(replied ? [`reply ${index + 1}`] : []),
    `${index + 1 < attempts ? 'retry' : 'failure'} ${index + 1}`,
  ])
  return each.flat()
}

describe.each(callNames)('%s', name => {
  it.each(faults.map(fault => [fault.name, fault] as const))('follows the retry table after %s', async (_, fault) => {
    const { server, outcome, error, events, steps, left } = await meet(name, fault)
    const { attempts, ...facts } = calls[name].once ? fault.submit : fault.repeatable
    expect(outcome).toBe(calls[name].once && facts.code === 'outcome_unknown' ? 'unknown' : 'thrown')
    expect(error).toMatchObject({ ...facts, meta: { attempts, callId: events[0]?.callId } })
    expect(server.reached).toHaveLength(attempts)
    expect(steps()).toEqual(expectedEvents(attempts, fault.replied))
    expect(events.at(-1)).toMatchObject({ type: 'failure', code: facts.code, sent: facts.sent })
    expect([...leaks(error), ...leaks(events)]).toEqual([])
    expect(left.listeners).toBe(0)
    // Timers of the runtime and of the tests may end in the meantime.
    expect(left.timers).toBeLessThanOrEqual(0)
    // One connection may wait for the next call. None may hang on an unread response.
    await expect.poll(server.open).toBeLessThanOrEqual(fault.replied ? 1 : 0)
  })
})
