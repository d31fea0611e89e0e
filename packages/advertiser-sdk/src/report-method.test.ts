import { replies, resets, type Step, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it } from 'vitest'
import { createAdvertiser, type StatusMethod } from './advertiser.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const reported = replies(200, { lead_id, status: 'approved' })
const report = { status: 'approved' } as const

/** A step for each method. */
const by =
  (post: Step, patch: Step): Step =>
  (response, request) =>
    (request.method === 'POST' ? post : patch)(response, request)

async function start(step: Step, method?: StatusMethod) {
  const server = await startFaultServer(step)
  const options = { baseUrl: server.baseUrl, apiKey: 'sandbox_key', backOff: { minDelayMs: 1 }, maxRetries: 1 }
  const advertiser = createAdvertiser({ ...options, method })
  const methods = () => server.reached.splice(0).map(request => request.method)
  const fails = () =>
    advertiser.reportStatus(lead_id, report).then(
      () => expect.unreachable(),
      error => error,
    )
  return { advertiser, methods, fails }
}

describe('auto', () => {
  it.each([405, 501])('goes on to PATCH after %i, as one call, and remembers it', async status => {
    const refused = replies(status, { error: 'method_not_allowed', message: '' }, { allow: 'PATCH' })
    const { advertiser, methods } = await start(by(refused, reported))
    const first = await advertiser.reportStatus(lead_id, report)
    expect(first).toMatchObject({ outcome: 'reported', meta: { status: 200, attempts: 2 } })
    expect(methods()).toEqual(['POST', 'PATCH'])
    expect((await advertiser.reportStatus(lead_id, report)).meta.attempts).toBe(1)
    expect(methods()).toEqual(['PATCH'])
  })

  it('takes what it goes on to for no retry', async () => {
    const { advertiser, methods } = await start(by(replies(405, ''), reported))
    await advertiser.reportStatus(lead_id, report, { maxRetries: 0 })
    expect(methods()).toEqual(['POST', 'PATCH'])
  })

  it('remembers it too when PATCH is answered by an error', async () => {
    const unknown = replies(404, { error: 'not_found', message: '' })
    const { methods, fails } = await start(by(replies(405, ''), unknown))
    expect(await fails()).toMatchObject({ code: 'bad_request', error: 'not_found' })
    expect(await fails()).toMatchObject({ code: 'bad_request', error: 'not_found' })
    expect(methods()).toEqual(['POST', 'PATCH', 'PATCH'])
  })

  it('settles for PATCH when several first calls run at once, and each is reported once', async () => {
    const { advertiser, methods } = await start(by(replies(405, ''), reported))
    const calls = Array.from({ length: 20 }, () => advertiser.reportStatus(lead_id, report))
    expect(new Set((await Promise.all(calls)).map(({ outcome }) => outcome))).toEqual(new Set(['reported']))
    expect(methods().filter(method => method === 'PATCH')).toHaveLength(20)
    await advertiser.reportStatus(lead_id, report)
    expect(methods()).toEqual(['PATCH'])
  })

  it('goes back to POST when the service moves to it', async () => {
    let moved = false
    const refused = replies(405, '')
    const { advertiser, methods } = await start((response, request) =>
      ((request.method === 'PATCH') === moved ? refused : reported)(response, request),
    )
    await advertiser.reportStatus(lead_id, report)
    moved = true
    await advertiser.reportStatus(lead_id, report)
    await advertiser.reportStatus(lead_id, report)
    expect(methods()).toEqual(['POST', 'PATCH', 'PATCH', 'POST', 'POST'])
  })

  it('reports both where both are refused, and what to check', async () => {
    const { methods, fails } = await start(replies(405, { error: 'method_not_allowed', message: '' }))
    expect(await fails()).toMatchObject({
      code: 'bad_request',
      sent: 'yes',
      retryable: false,
      meta: { status: 405, attempts: 2 },
      message: expect.stringMatching(/405, method_not_allowed.*Check the base URL.*`method`/),
    })
    expect(methods()).toEqual(['POST', 'PATCH'])
  })

  it.each<[string, Step, string[]]>([
    ['a lost reply', resets, ['POST', 'POST']],
    ['a 503', replies(503, ''), ['POST', 'POST']],
    ['a 404', replies(404, ''), ['POST']],
    ['a 400', replies(400, ''), ['POST']],
    ['a redirect', replies(307, '', { location: '/elsewhere' }), ['POST']],
  ])('does not try PATCH after %s', async (_name, step, methods) => {
    const started = await start(by(step, reported))
    await started.fails()
    expect(started.methods()).toEqual(methods)
  })

  it('tries PATCH again, and not POST, when the reply to PATCH is lost', async () => {
    let lost = 0
    const losesFirst: Step = (response, request) => (lost++ === 0 ? resets : reported)(response, request)
    const { advertiser, methods } = await start(by(replies(405, ''), losesFirst))
    expect((await advertiser.reportStatus(lead_id, report)).meta.attempts).toBe(3)
    expect(methods()).toEqual(['POST', 'PATCH', 'PATCH'])
  })
})

describe('a stated method', () => {
  it.each(['POST', 'PATCH'] as const)('is the only one, %s, of the client and of one report', async method => {
    const { methods, fails } = await start(replies(405, ''), method)
    expect(await fails()).toMatchObject({ message: expect.stringContaining('`method`') })
    const auto = await start(replies(405, ''))
    await auto.advertiser.reportStatus(lead_id, report, { method }).catch(() => {})
    expect([methods(), auto.methods()]).toEqual([[method], [method]])
  })

  it('of one report is not remembered', async () => {
    const { advertiser, methods } = await start(reported)
    await advertiser.reportStatus(lead_id, report, { method: 'PATCH' })
    await advertiser.reportStatus(lead_id, report)
    expect(methods()).toEqual(['PATCH', 'POST'])
  })

  it.each([{ method: 'PUT' }, { vocabulary: 'enums' }])(
    'must be one that is known, as all options: %o',
    async option => {
      const baseUrl = 'http://127.0.0.1:1/api/v1'
      expect(() => createAdvertiser({ baseUrl, ...option } as never)).toThrow(
        expect.objectContaining({ code: 'config', message: expect.stringMatching(/must be one of/) }),
      )
      const { advertiser, methods } = await start(reported)
      await expect(advertiser.reportStatus(lead_id, report, { method: 'get' as never })).rejects.toMatchObject({
        code: 'config',
      })
      expect(methods()).toEqual([])
    },
  )
})

describe('the vocabulary', () => {
  it('any takes every text that is not empty, and a pixel the known events all the same', async () => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'agreed by mail' }))
    const advertiser = createAdvertiser({ baseUrl: server.baseUrl, apiKey: 'sandbox_key', vocabulary: 'any' })
    expect(await advertiser.reportStatus(lead_id, { status: 'agreed by mail' })).toMatchObject({ outcome: 'reported' })
    await expect(advertiser.reportStatus(lead_id, { status: '' })).rejects.toMatchObject({ code: 'validation' })
    const url = advertiser.parsePostbackUrl(`${server.baseUrl}/lead/${lead_id}/status?token=t`)
    await expect(advertiser.fire(url, { event: 'agreed by mail' as never })).rejects.toMatchObject({
      code: 'validation',
    })
    await advertiser.fire(url, { event: 'approved' })
    await advertiser.fire(url, { event: 'loan_issued' })
    expect(server.reached).toHaveLength(3)
  })

  it.each<[string, string[], string[]]>([
    ['enum', ['approved', 'converted'], ['loan_issued', '']],
    ['usage', ['loan_issued', 'converted'], ['approved', '']],
    ['known', ['approved', 'loan_issued', 'converted'], ['yacht', '']],
  ])('%s takes its own names', async (vocabulary, taken, refused) => {
    const server = await startFaultServer(replies(200, { lead_id, status: 'x' }))
    const options = { baseUrl: server.baseUrl, apiKey: 'sandbox_key', vocabulary }
    const advertiser = createAdvertiser(options as { baseUrl: string; vocabulary: 'known' })
    for (const status of taken) await advertiser.reportStatus(lead_id, { status: status as never })
    for (const status of refused)
      await expect(advertiser.reportStatus(lead_id, { status: status as never })).rejects.toThrow('status')
    expect(server.reached).toHaveLength(taken.length)
  })
})
