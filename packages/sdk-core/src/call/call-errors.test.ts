import { describe, expect, it } from 'vitest'
import { abortedError, errorOfFailure } from './call-errors.ts'
import { failureOf, failureOfReply } from './failure.ts'
import type { CallName } from './retry.ts'

const attempt = { callId: 'c1', at: '2026-06-15T12:00:00.000Z' }
const meta = { attempts: 1, callId: 'c1', status: null, headers: {}, ms: 5 }
const neverSensitive = () => false

const replied = (status: number, body?: Record<string, unknown>, headers: Record<string, string> = {}) =>
  failureOfReply({ status, headers: new Headers(headers) }, body, neverSensitive)

function errorOf(name: CallName, failure: ReturnType<typeof replied>, more: object = {}, maybeBefore = false) {
  const { message, code, sent, retryable } = errorOfFailure({
    call: { name, ...more },
    meta,
    attempt,
    failure,
    maybeBefore,
  })
  return [code, sent, retryable, message]
}

const alsoCheck = (status: number) => (status === 404 ? ', and the `lead_id`' : '')

describe('the error of a call says what happened, and what to do', () => {
  it.each([
    [
      failureOf('not_reached'),
      ['not_sent', 'no', true],
      'Nothing was sent: no connection was established. Send it again; if it stays so, check that the service runs at the base URL.',
    ],
    [
      failureOf('unreachable'),
      ['not_sent', 'no', false],
      'Nothing was sent: the certificate of the server is not trusted, or `fetch` refuses its port. Check the base URL.',
    ],
    [
      failureOf('reply_lost'),
      ['outcome_unknown', 'maybe', false],
      'The outcome is unknown: the connection broke before the whole reply was read. The lead may exist. Wait for its callback, or submit it with `previousAttempt: error.attempt`.',
    ],
    [
      replied(503),
      ['outcome_unknown', 'maybe', false],
      'The outcome is unknown: the reply has the status 503. The lead may exist. Wait for its callback, or submit it with `previousAttempt: error.attempt`.',
    ],
    [
      replied(303),
      ['outcome_unknown', 'maybe', false],
      'The outcome is unknown: the reply has the status 303. The lead may exist. Wait for its callback, or submit it with `previousAttempt: error.attempt`.',
    ],
    [
      replied(429),
      ['rate_limit', 'yes', true],
      'The service asks to slow down (429). Nothing was processed. Send it again later, and fewer at once.',
    ],
    [replied(308), ['protocol', 'yes', false], 'The service sends no such reply (308). Check the base URL.'],
    [
      replied(401),
      ['auth', 'yes', false],
      'The service does not accept the API key: it must be your own, of this environment (401).',
    ],
    [
      replied(403),
      ['auth', 'yes', false],
      'The service does not accept the API key: it must be your own, of this environment (403).',
    ],
    [replied(501), ['server', 'yes', false], 'The service does not do this (501). Check the base URL.'],
    [
      replied(422, { error: 'invalid_product' }),
      ['bad_request', 'yes', false],
      'The service refused the request (422, invalid_product). Nothing was processed.',
    ],
    [
      replied(413),
      ['bad_request', 'yes', false],
      'The service refused the request (413, no error code). Nothing was processed.',
    ],
    [
      replied(400, { error: 'validation_error', details: [{ field: 'product_id', issue: 'is required' }] }),
      ['bad_request', 'yes', false],
      'The service refused the request (400, validation_error); correct product_id, see `details`. Nothing was processed.',
    ],
    [
      replied(404, { error: 'not_found' }),
      ['bad_request', 'yes', false],
      'The service refused the request (404, not_found). Nothing was processed. Check the base URL, which ends in /api/v1, and the `lead_id`.',
    ],
    [
      replied(405),
      ['bad_request', 'yes', false],
      'The service refused the request (405, no error code). Nothing was processed. Check the base URL, which ends in /api/v1.',
    ],
  ])('after %o of a submission', (failure, facts, message) => {
    expect(errorOf('submitLead', failure, { alsoCheck })).toEqual([...facts, message])
  })

  it.each([
    [
      failureOf('reply_lost'),
      ['outcome_unknown', 'maybe', true],
      'The outcome is unknown: the connection broke before the whole reply was read. It may have been recorded. A repeat does no harm.',
    ],
    [replied(503), ['server', 'yes', true], 'The service failed (503). Send it again later.'],
    [replied(303), ['protocol', 'yes', false], 'The service sends no such reply (303). Check the base URL.'],
    [
      replied(404),
      ['bad_request', 'yes', false],
      'The service refused the request (404, no error code). Nothing was processed. Check the base URL, which ends in /api/v1.',
    ],
  ])('after %o of a report', (failure, facts, message) => {
    expect(errorOf('reportStatus', failure)).toEqual([...facts, message])
  })

  it('names another credential where the call has one', () => {
    const [, , , message] = errorOf('reportEvent', replied(401), { credential: 'token of the postback URL' })
    expect(message).toBe('The service does not accept the token of the postback URL (401).')
  })

  it('that may have been processed by an earlier attempt claims nothing else', () => {
    const after = (failure: ReturnType<typeof replied>) => errorOf('reportStatus', failure, {}, true)
    for (const failure of [failureOf('not_reached'), failureOf('unreachable'), replied(429)])
      expect(after(failure).slice(0, 3)).toEqual(['outcome_unknown', 'maybe', true])
    expect(after(replied(400))).toEqual([
      ...['bad_request', 'yes', false],
      'The service refused the request (400, no error code).',
    ])
    expect(after(replied(503))[0]).toBe('server')
  })

  it('that its signal ended knows if anything was sent', () => {
    const aborted = (name: CallName, maybe: boolean) => {
      const {
        message,
        sent,
        retryable,
        attempt: given,
        meta: of,
      } = abortedError({ call: { name }, meta, attempt }, maybe)
      expect([given, of]).toEqual([attempt, meta])
      return [sent, retryable, message]
    }
    const unknown = 'The call was aborted by its signal. Its outcome is unknown.'
    const nothing = 'The call was aborted by its signal. Nothing was processed.'
    expect(aborted('submitLead', true)).toEqual(['maybe', false, unknown])
    expect(aborted('submitLead', false)).toEqual(['no', true, nothing])
    expect(aborted('reportStatus', true)).toEqual(['maybe', true, unknown])
  })
})

describe('of an error reply', () => {
  const read = (body: Record<string, unknown> | undefined, isSensitive: (text: string) => boolean = neverSensitive) =>
    failureOfReply({ status: 400, headers: new Headers() }, body, isSensitive).reply

  it.each(['a', 'validation_error', 'http_503', 'a'.repeat(64)])('the code %s is repeated', error =>
    expect(read({ error })?.error).toBe(error),
  )

  it.each([undefined, null, 7, '', 'Not found', 'not-found', '_x', '7x', 'X', 'x\n', ' x', 'a'.repeat(65), ['x'], {}])(
    'the code %j is not',
    error => expect(read({ error })?.error).toBeNull(),
  )

  it('nothing is repeated that was sent', () => {
    const isSensitive = (text: string) => text.includes('secret')
    expect(read({ error: 'secret_code' }, isSensitive)?.error).toBeNull()
    const details = [
      { field: 'customer.secret', issue: 'is wrong' },
      { field: 'product_id', issue: 'is secret' },
    ]
    expect(read({ details }, isSensitive)).toMatchObject({ details, fields: 'product_id' })
  })

  it('details of another shape are left out', () => {
    const fine = { field: 'product_id', issue: 'is required' }
    const more = { ...fine, value: 'x' }
    const wrong = [null, undefined, 7, 'x', {}, { field: 'ref' }, { issue: 'is wrong' }, { field: 1, issue: 'x' }]
    expect(read({ details: [...wrong, fine, { field: 'x', issue: 1 }, more] })?.details).toEqual([fine, fine])
    for (const details of [undefined, null, fine, 'x', 7]) expect(read({ details })?.details).toEqual([])
    expect(read(undefined)).toEqual({
      status: 400,
      error: null,
      details: [],
      fields: 'the request',
      retryAfterMs: null,
    })
  })

  it('the wait is that of its header', () => {
    expect(replied(429, undefined, { 'retry-after': '7' }).reply?.retryAfterMs).toBe(7_000)
    expect(replied(429).reply?.retryAfterMs).toBeNull()
  })
})
