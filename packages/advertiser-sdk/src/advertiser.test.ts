import { basePath } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { replies, resets, type Step, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, vi } from 'vitest'
import { createAdvertiser, type StatusMethod } from './advertiser.ts'
import { AuthError, BadRequestError, ConfigError, OutcomeUnknownError, PostbackUrl, ValidationError } from './index.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const reported = replies(200, { lead_id, status: 'approved' })
const received = replies(200, { lead_id, event: 'approved', status: 'received' })
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    error => error,
  )

async function start(...steps: [Step, ...Step[]]) {
  const server = await startFaultServer(...steps)
  const options = { baseUrl: server.baseUrl, apiKey: 'sandbox_key', backOff: { minDelayMs: 1 } }
  const postback = PostbackUrl.parse(`${server.baseUrl}/lead/${lead_id}/status?token=a~b==%20c`, {
    baseUrl: server.baseUrl,
  })
  return { ...server, options, advertiser: createAdvertiser(options), postback }
}

describe('reportStatus', () => {
  it('sends the report with the key, and nothing that was left out', async () => {
    const { advertiser, reached } = await start(reported)
    const metadata = { amount: 5000, term_months: 24 }
    const result = await advertiser.reportStatus(lead_id, { status: 'approved', metadata })
    expect(result).toMatchObject({ outcome: 'reported', lead_id, status: 'approved', meta: { status: 200 } })
    expect(reached[0]).toMatchObject({
      method: 'POST',
      url: basePath + operations.reportStatus.path.replace(':lead_id', lead_id),
    })
    expect(reached[0]?.headers.apikey).toBe('sandbox_key')
    expect(JSON.parse(reached[0]?.body ?? '')).toEqual({ status: 'approved', metadata })
  })

  it.each<[StatusMethod, string[]]>([
    ['auto', ['POST', 'PATCH', 'PATCH']],
    ['POST', ['POST', 'POST']],
    ['PATCH', ['PATCH', 'PATCH']],
  ])('by %s, against a service that has only PATCH', async (method, methods) => {
    const patchOnly: Step = (response, request) =>
      (request.method === 'PATCH' ? reported : replies(405, {}, { allow: 'PATCH' }))(response, request)
    const { options, reached } = await start(patchOnly)
    const advertiser = createAdvertiser({ ...options, method })
    for (const _ of [1, 2]) await advertiser.reportStatus(lead_id, { status: 'approved' }).catch(() => {})
    expect(reached.map(request => request.method)).toEqual(methods)
  })

  it('does not try PATCH after anything that leaves open whether POST was processed', async () => {
    const { options, reached } = await start(resets)
    const advertiser = createAdvertiser({ ...options, maxRetries: 1 })
    expect(await errorOf(advertiser.reportStatus(lead_id, { status: 'approved' }))).toBeInstanceOf(OutcomeUnknownError)
    expect(reached.map(request => request.method)).toEqual(['POST', 'POST'])
  })

  it('is not repeated after a lost reply where the caller forbids it', async () => {
    const { advertiser, reached } = await start(resets, reported)
    const error = await errorOf(
      advertiser.reportStatus(lead_id, { status: 'approved' }, { retryUnknownOutcome: false }),
    )
    expect(error).toMatchObject({ code: 'outcome_unknown', retryable: true })
    expect(reached).toHaveLength(1)
  })

  it.each([
    ['lead_id', 'not-a-uuid/../../lead', { status: 'approved' }],
    ['status', lead_id, { status: 'loan_issued' }],
    ['status', lead_id, {}],
    ['advertiser_id', lead_id, { status: 'approved', advertiser_id: 'a' }],
    ['metadata', lead_id, { status: 'approved', metadata: null }],
    ['metadata.amount', lead_id, { status: 'approved', metadata: { amount: '5000' } }],
    ['metadata.term_months', lead_id, { status: 'approved', metadata: { term_months: 1.5 } }],
  ])('sends nothing when %s is wrong', async (field, id, report) => {
    const { advertiser, reached } = await start(reported)
    const error = await errorOf(advertiser.reportStatus(id, report as never))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.issues).toEqual([{ field, issue: expect.any(String) }])
    expect(reached).toHaveLength(0)
  })

  it('returns a reply that it does not know, and throws a refusal', async () => {
    const { advertiser } = await start(replies(200, { ok: true }), replies(404, { error: 'not_found', message: '' }))
    const result = await advertiser.reportStatus(lead_id, { status: 'approved' })
    expect(result).toMatchObject({ outcome: 'unrecognized', lead_id: null, status: null, raw: { ok: true } })
    const error = await errorOf(advertiser.reportStatus(lead_id, { status: 'approved' }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ error: 'not_found', meta: { status: 404 } })
    expect(error.message).toMatch(/Check the base URL, .+, and that the lead is yours\.$/)
  })
})

describe('fire', () => {
  it('appends event and reference to the very text of the URL, and sends no key', async () => {
    const { advertiser, postback, reached } = await start(received)
    const result = await advertiser.fire(postback, { event: 'approved', ref: 'loan 7' })
    expect(result).toMatchObject({ outcome: 'received', lead_id, event: 'approved' })
    const [request] = reached
    expect(request?.method).toBe('GET')
    expect(request?.url).toBe(`/api/v1/lead/${lead_id}/status?token=a~b==%20c&event=approved&ref=loan%207`)
    expect(request?.headers).not.toHaveProperty('apikey')
  })

  it('needs no key', async () => {
    const { options, postback } = await start(received)
    const result = await createAdvertiser({ ...options, apiKey: null }).fire(postback, { event: 'approved' })
    expect(result.outcome).toBe('received')
  })

  it('repeats after a lost reply: the service ignores what it knows', async () => {
    const ignored = replies(200, { lead_id, event: 'approved', status: 'ignored' })
    const { advertiser, postback } = await start(resets, ignored)
    const result = await advertiser.fire(postback, { event: 'approved' })
    expect(result).toMatchObject({ outcome: 'ignored', meta: { attempts: 2 } })
  })

  it.each([{ lead_id, event: 'approved', status: 'queued' }, { status: 'received' }, {}])(
    'returns the unknown reply %o as unrecognized',
    async body => {
      const { advertiser, postback } = await start(replies(200, body))
      const result = await advertiser.fire(postback, { event: 'approved' })
      expect(result).toMatchObject({ outcome: 'unrecognized', raw: body })
    },
  )

  it('sends nothing to another service than its own', async () => {
    const { advertiser, reached } = await start(received)
    const other = await start(received)
    const error = await errorOf(advertiser.fire(other.postback, { event: 'approved' }))
    expect(error).toBeInstanceOf(ConfigError)
    expect([reached.length, other.reached.length]).toEqual([0, 0])
  })

  it('sends no event of another vocabulary', async () => {
    const { advertiser, postback, options, reached } = await start(received)
    expect(await errorOf(advertiser.fire(postback, { event: 'loan_issued' as never }))).toBeInstanceOf(ValidationError)
    const usage = createAdvertiser({ ...options, vocabulary: 'usage' })
    expect(await errorOf(usage.fire(postback, { event: 'approved' as never }))).toBeInstanceOf(ValidationError)
    await usage.fire(postback, { event: 'loan_issued' })
    expect(reached).toHaveLength(1)
  })

  it('reports of a 401 that the token is wrong, without it', async () => {
    const { advertiser, postback } = await start(replies(401, { error: 'unauthorized', message: '' }))
    const error = await errorOf(advertiser.fire(postback, { event: 'approved' }))
    expect(error).toBeInstanceOf(AuthError)
    expect(error.message).toMatch(/token of the postback URL(?!.*a~b)/)
  })
})

it('parses postback URLs with its own base address', async () => {
  const { advertiser, postback } = await start(received)
  expect(advertiser.parsePostbackUrl(postback.expose()).lead_id).toBe(lead_id)
  expect(() => advertiser.parsePostbackUrl('https://evil.example/')).toThrow(ConfigError)
})

describe('a reply that names another lead', () => {
  const other = '4f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

  it.each([other, '', undefined])('is no success: %s', async replied => {
    const { advertiser, postback } = await start(
      replies(200, { lead_id: replied, status: 'approved' }),
      replies(200, { lead_id: replied, event: 'approved', status: 'received' }),
    )
    const expected = { outcome: 'unrecognized', lead_id: replied || null }
    expect(await advertiser.reportStatus(lead_id, { status: 'approved' })).toMatchObject(expected)
    expect(await advertiser.fire(postback, { event: 'approved' })).toMatchObject(expected)
  })

  it('is not one that writes its id in capitals', async () => {
    const { advertiser } = await start(replies(200, { lead_id: lead_id.toUpperCase(), status: 'approved' }))
    expect((await advertiser.reportStatus(lead_id, { status: 'approved' })).outcome).toBe('reported')
  })
})

it('gives a client with other options, and stays as it is', async () => {
  const { baseUrl, reached } = await startFaultServer(reported)
  const advertiser = createAdvertiser({ baseUrl, apiKey: 'sandbox_key', vocabulary: 'usage', headers: { 'x-a': '1' } })
  const other = advertiser.withOptions({ method: 'PATCH', headers: { 'x-b': '2' } })
  for (const each of [other, advertiser]) await each.reportStatus(lead_id, { status: 'loan_issued' })
  expect(reached.map(({ method, headers }) => [method, headers['x-a'], headers['x-b']])).toEqual([
    ['PATCH', '1', '2'],
    ['POST', '1', undefined],
  ])
  expect(reached[0]?.headers['user-agent']).toMatch(/^lead-distribution-advertiser\//)
})

it('is a client that a test can spy on, and that refuses an option of the wrong type', async () => {
  const { advertiser, postback } = await start(reported)
  vi.spyOn(advertiser, 'fire').mockResolvedValue({ outcome: 'ignored' } as never)
  expect(await advertiser.fire(postback, { event: 'approved' })).toEqual({ outcome: 'ignored' })
  const options = { retryUnknownOutcome: 'no' as never }
  const error = await errorOf(advertiser.reportStatus(lead_id, { status: 'approved' }, options))
  expect(error).toBeInstanceOf(ConfigError)
})
