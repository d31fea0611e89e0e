import { basePath } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { replies, resets, type Step, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, vi } from 'vitest'
import { createAdvertiser } from './advertiser.ts'
import { AuthError, BadRequestError, ConfigError, PostbackUrl, ValidationError } from './index.ts'

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
  const options = { baseUrl: server.baseUrl, apiKey: 'sandbox_key', maxRetries: 1 }
  const postback = PostbackUrl.parse(`${server.baseUrl}/lead/${lead_id}/status?token=a~b==%20c`, {
    baseUrl: server.baseUrl,
  })
  return { ...server, options, advertiser: createAdvertiser(options), postback }
}

it('reads the base URL and key from the environment by default', async () => {
  const { baseUrl, reached } = await startFaultServer(reported)
  vi.stubEnv('LEAD_BASE_URL', baseUrl)
  vi.stubEnv('LEAD_ADVERTISER_API_KEY', 'sandbox_env')
  try {
    await createAdvertiser().reportStatus(lead_id, { status: 'approved' })
  } finally {
    vi.unstubAllEnvs()
  }
  expect(reached[0]?.headers.apikey).toBe('sandbox_env')
})

describe('reportStatus', () => {
  it('sends the report with the key and nothing else', async () => {
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

  it.each([
    { contract: 'L-4711', apr: 7.5, nested: { note: null } },
    { amount: 5000, months: 12, loan_amount: 4000, total: 1 },
    {},
  ])('sends metadata agreed with the operator: %o', async metadata => {
    const { advertiser, reached } = await start(reported)
    await advertiser.reportStatus(lead_id, { status: 'approved', metadata })
    expect(JSON.parse(reached[0]?.body ?? '')).toEqual({ status: 'approved', metadata })
  })

  it.each([
    ['amuont', 'amount'],
    ['amounts', 'amount'],
    ['Amount', 'amount'],
    ['term_month', 'term_months'],
    ['termMonths', 'term_months'],
  ])('rejects metadata.%s, probably a misspelled %s', async (name, meant) => {
    const { advertiser, reached } = await start(reported)
    const error = await errorOf(advertiser.reportStatus(lead_id, { status: 'approved', metadata: { [name]: 5000 } }))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toContain(`\`metadata.${name}\`. Use \`metadata.${meant}\`.`)
    expect(reached).toHaveLength(0)
  })

  it('does not retry after a lost reply if `retryUnknownOutcome` is false', async () => {
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
  ])('sends nothing if %s is invalid', async (field, id, report) => {
    const { advertiser, reached } = await start(reported)
    const error = await errorOf(advertiser.reportStatus(id, report as never))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.issues).toEqual([{ field, issue: expect.any(String) }])
    expect(reached).toHaveLength(0)
  })

  it('returns an unrecognized response, and throws for an error status', async () => {
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
  it('appends event and reference to the unchanged text of the URL, and sends no key', async () => {
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

  it('retries after a lost reply, because the service ignores a repeat', async () => {
    const ignored = replies(200, { lead_id, event: 'approved', status: 'ignored' })
    const { advertiser, postback } = await start(resets, ignored)
    const result = await advertiser.fire(postback, { event: 'approved' })
    expect(result).toMatchObject({ outcome: 'ignored', meta: { attempts: 2 } })
  })

  it.each([{ lead_id, event: 'approved', status: 'queued' }, { status: 'received' }, {}])(
    'returns the unknown response %o as unrecognized',
    async body => {
      const { advertiser, postback } = await start(replies(200, body))
      const result = await advertiser.fire(postback, { event: 'approved' })
      expect(result).toMatchObject({ outcome: 'unrecognized', raw: body })
    },
  )

  it('does not fire the postback URL of another service', async () => {
    const { advertiser, reached } = await start(received)
    const other = await start(received)
    const error = await errorOf(advertiser.fire(other.postback, { event: 'approved' }))
    expect(error).toBeInstanceOf(ConfigError)
    expect([reached.length, other.reached.length]).toEqual([0, 0])
  })

  it('rejects an event from the other vocabulary', async () => {
    const { advertiser, postback, options, reached } = await start(received)
    const issue = 'must be one of registration, approved, rejected, completed, defaulted'
    expect(await errorOf(advertiser.fire(postback, { event: 'loan_issued' as never }))).toMatchObject({
      code: 'validation',
      issues: [{ field: 'event', issue }],
    })
    const usage = createAdvertiser({ ...options, vocabulary: 'usage' })
    expect(await errorOf(usage.fire(postback, { event: 'approved' as never }))).toBeInstanceOf(ValidationError)
    await usage.fire(postback, { event: 'loan_issued' })
    expect(reached).toHaveLength(1)
  })

  it('explains after a 401 that the token is wrong, without showing it', async () => {
    const { advertiser, postback } = await start(replies(401, { error: 'unauthorized', message: '' }))
    const error = await errorOf(advertiser.fire(postback, { event: 'approved' }))
    expect(error).toBeInstanceOf(AuthError)
    expect(error.message).toMatch(/token of the postback URL(?!.*a~b)/)
  })
})

it('parses postback URLs against its own base URL', async () => {
  const { advertiser, postback } = await start(received)
  expect(advertiser.parsePostbackUrl(postback.expose()).lead_id).toBe(lead_id)
  expect(() => advertiser.parsePostbackUrl('https://evil.example/')).toThrow(ConfigError)
})

describe('a response for another lead', () => {
  const other = '4f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

  it.each([other, '', undefined])('is unrecognized: %s', async replied => {
    const { advertiser, postback } = await start(
      replies(200, { lead_id: replied, status: 'approved' }),
      replies(200, { lead_id: replied, event: 'approved', status: 'received' }),
    )
    const expected = { outcome: 'unrecognized', lead_id: replied || null }
    expect(await advertiser.reportStatus(lead_id, { status: 'approved' })).toMatchObject(expected)
    expect(await advertiser.fire(postback, { event: 'approved' })).toMatchObject(expected)
  })

  it('is not one with the same id in upper case', async () => {
    const { advertiser } = await start(replies(200, { lead_id: lead_id.toUpperCase(), status: 'approved' }))
    const result = await advertiser.reportStatus(lead_id, { status: 'approved' })
    expect(result).toMatchObject({ outcome: 'reported', lead_id })
  })
})

it('creates a client with changed options, and stays unchanged itself', async () => {
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

it('can be spied on by tests, and rejects an option of the wrong type', async () => {
  const { advertiser, postback } = await start(reported)
  vi.spyOn(advertiser, 'fire').mockResolvedValue({ outcome: 'ignored' } as never)
  expect(await advertiser.fire(postback, { event: 'approved' })).toEqual({ outcome: 'ignored' })
  const options = { retryUnknownOutcome: 'no' as never }
  const error = await errorOf(advertiser.reportStatus(lead_id, { status: 'approved' }, options))
  expect(error).toBeInstanceOf(ConfigError)
})

describe('the method of a status report', () => {
  const report = { status: 'approved' } as const

  /** Combines two steps, one for each method. */
  const by =
    (post: Step, patch: Step): Step =>
    (response, request) =>
      (request.method === 'POST' ? post : patch)(response, request)

  async function startBy(step: Step, method?: 'POST' | 'PATCH') {
    const { options, reached } = await start(step)
    const advertiser = createAdvertiser({ ...options, method })
    const methods = () => reached.splice(0).map(request => request.method)
    const fails = () => errorOf(advertiser.reportStatus(lead_id, report))
    return { advertiser, methods, fails }
  }

  describe('auto', () => {
    it.each([405, 501])('switches to PATCH after a %i within one call, and remembers it', async status => {
      const refused = replies(status, { error: 'method_not_allowed', message: '' }, { allow: 'PATCH' })
      const { advertiser, methods } = await startBy(by(refused, reported))
      const first = await advertiser.reportStatus(lead_id, report)
      expect(first).toMatchObject({ outcome: 'reported', meta: { status: 200, attempts: 2 } })
      expect(methods()).toEqual(['POST', 'PATCH'])
      expect((await advertiser.reportStatus(lead_id, report)).meta.attempts).toBe(1)
      expect(methods()).toEqual(['PATCH'])
    })

    it('does not count the switch as a retry', async () => {
      const { advertiser, methods } = await startBy(by(replies(405, ''), reported))
      await advertiser.reportStatus(lead_id, report, { maxRetries: 0 })
      expect(methods()).toEqual(['POST', 'PATCH'])
    })

    it('remembers the switch even if the PATCH fails', async () => {
      const unknown = replies(404, { error: 'not_found', message: '' })
      const { methods, fails } = await startBy(by(replies(405, ''), unknown))
      expect(await fails()).toMatchObject({ code: 'bad_request', error: 'not_found' })
      expect(await fails()).toMatchObject({ code: 'bad_request', error: 'not_found' })
      expect(methods()).toEqual(['POST', 'PATCH', 'PATCH'])
    })

    it('settles on PATCH if several first calls run concurrently, and reports each once', async () => {
      const { advertiser, methods } = await startBy(by(replies(405, ''), reported))
      const calls = Array.from({ length: 20 }, () => advertiser.reportStatus(lead_id, report))
      expect(new Set((await Promise.all(calls)).map(({ outcome }) => outcome))).toEqual(new Set(['reported']))
      expect(methods().filter(method => method === 'PATCH')).toHaveLength(20)
      await advertiser.reportStatus(lead_id, report)
      expect(methods()).toEqual(['PATCH'])
    })

    it('switches back when the service does', async () => {
      let moved = false
      const refused = replies(405, '')
      const { advertiser, methods } = await startBy((response, request) =>
        ((request.method === 'PATCH') === moved ? refused : reported)(response, request),
      )
      await advertiser.reportStatus(lead_id, report)
      moved = true
      await advertiser.reportStatus(lead_id, report)
      await advertiser.reportStatus(lead_id, report)
      expect(methods()).toEqual(['POST', 'PATCH', 'PATCH', 'POST', 'POST'])
    })

    it('explains what to check if both methods are refused', async () => {
      const { methods, fails } = await startBy(replies(405, { error: 'method_not_allowed', message: '' }))
      expect(await fails()).toMatchObject({
        code: 'bad_request',
        sent: 'yes',
        retryable: false,
        meta: { status: 405, attempts: 2 },
        message: expect.stringMatching(/405, method_not_allowed.*Check the base URL.*`method`/),
      })
      expect(methods()).toEqual(['POST', 'PATCH'])
    })

    it.each<[string, Step, string, string[]]>([
      ['a lost reply', resets, 'outcome_unknown', ['POST', 'POST']],
      ['a 503', replies(503, ''), 'server', ['POST', 'POST']],
      ['a 404', replies(404, ''), 'bad_request', ['POST']],
      ['a 400', replies(400, ''), 'bad_request', ['POST']],
      ['a redirect', replies(307, '', { location: '/elsewhere' }), 'protocol', ['POST']],
    ])('does not switch to PATCH after %s', async (_name, step, code, methods) => {
      const started = await startBy(by(step, reported))
      expect(await started.fails()).toMatchObject({ code })
      expect(started.methods()).toEqual(methods)
    })

    it('retries PATCH, not POST, after the reply to PATCH is lost', async () => {
      let lost = 0
      const losesFirst: Step = (response, request) => (lost++ === 0 ? resets : reported)(response, request)
      const { advertiser, methods } = await startBy(by(replies(405, ''), losesFirst))
      expect((await advertiser.reportStatus(lead_id, report)).meta.attempts).toBe(3)
      expect(methods()).toEqual(['POST', 'PATCH', 'PATCH'])
    })
  })

  describe('an explicit method', () => {
    it.each(['POST', 'PATCH'] as const)(
      'is the only one used, %s, whether set for the client or for one report',
      async method => {
        const { methods, fails } = await startBy(replies(405, ''), method)
        expect(await fails()).toMatchObject({ message: expect.stringContaining('`method`') })
        const auto = await startBy(replies(405, ''))
        await auto.advertiser.reportStatus(lead_id, report, { method }).catch(() => {})
        expect([methods(), auto.methods()]).toEqual([[method], [method]])
      },
    )

    it('for one report is not remembered', async () => {
      const { advertiser, methods } = await startBy(reported)
      await advertiser.reportStatus(lead_id, report, { method: 'PATCH' })
      await advertiser.reportStatus(lead_id, report)
      expect(methods()).toEqual(['PATCH', 'POST'])
    })

    it.each([{ method: 'PUT' }, { vocabulary: 'enums' }])(
      'must be a known one, like every option: %o',
      async option => {
        const baseUrl = 'http://127.0.0.1:1/api/v1'
        expect(() => createAdvertiser({ baseUrl, ...option } as never)).toThrow(
          expect.objectContaining({ code: 'config', message: expect.stringMatching(/must be one of/) }),
        )
        const { advertiser, methods } = await startBy(reported)
        await expect(advertiser.reportStatus(lead_id, report, { method: 'get' as never })).rejects.toMatchObject({
          code: 'config',
        })
        expect(methods()).toEqual([])
      },
    )
  })
})

it.each<['enum' | 'usage', string[], string[]]>([
  ['enum', ['approved', 'converted'], ['loan_issued', 'agreed by mail', '']],
  ['usage', ['loan_issued', 'converted'], ['approved', 'agreed by mail', '']],
])('reports the statuses of the vocabulary %s and no others', async (vocabulary, taken, refused) => {
  const { options, reached } = await start(replies(200, { lead_id, status: 'x' }))
  const advertiser = createAdvertiser({ ...options, vocabulary })
  for (const status of taken) await advertiser.reportStatus(lead_id, { status: status as never })
  for (const status of refused)
    await expect(advertiser.reportStatus(lead_id, { status: status as never })).rejects.toThrow('status')
  expect(reached).toHaveLength(taken.length)
})

describe('firing', () => {
  describe('the request', () => {
    it.each([
      'a~b',
      'YWJj+/==',
      'YWJj%2B%2F%3D%3D',
      'a%20c',
      '%7e%7E',
      '%E0%A4%A',
      '100%',
      'a%zzb',
      'a/b//c/../d',
      'a,b;c:d|e^f`g',
      '{t}[u]($v)!*@',
      'a?b=c?',
      '==',
    ])('contains the token %s unchanged', async token => {
      const { advertiser, baseUrl, reached } = await start(received)
      const path = `/api/v1/lead/${lead_id}/status?x=%c3&token=${token}`
      const url = advertiser.parsePostbackUrl(baseUrl.replace('/api/v1', path))
      const result = await advertiser.fire(url, { event: 'approved', ref: 'loan ~7' })
      expect(result.outcome).toBe('received')
      expect(reached.map(({ url }) => url)).toEqual([`${path}&event=approved&ref=loan%20~7`])
    })
  })

  it.each([
    ["it's", 'it%27s'],
    [`"<a&b>"`, '%22%3Ca%26b%3E%22'],
    ["!'()*~", '!%27()*~'],
    ['r'.repeat(255), 'r'.repeat(255)],
    ['Núñez €', 'N%C3%BA%C3%B1ez%20%E2%82%AC'],
  ])('sends the reference %s so that the service reads it unchanged', async (ref, written) => {
    const { advertiser, baseUrl, reached } = await start(received)
    const url = advertiser.parsePostbackUrl(`${baseUrl}/lead/${lead_id}/status?token=t`)
    expect((await advertiser.fire(url, { event: 'approved', ref })).outcome).toBe('received')
    const sent = reached.map(({ url }) => url)
    expect(sent).toEqual([`/api/v1/lead/${lead_id}/status?token=t&event=approved&ref=${written}`])
    expect(new URL(sent[0] ?? '', baseUrl).searchParams.get('ref')).toBe(ref)
  })

  describe('the arguments of fire', () => {
    async function startFiring() {
      const { advertiser, reached, baseUrl } = await start(received)
      return { advertiser, reached, baseUrl, text: `${baseUrl}/lead/${lead_id}/status?token=hunter2` }
    }

    it('may include a URL parsed by another copy of the package', async () => {
      const { advertiser, reached, text, baseUrl } = await startFiring()
      const copy = './postback-url.ts?another-copy'
      const { PostbackUrl: Other } = (await import(copy)) as { PostbackUrl: typeof PostbackUrl }
      const url = Other.parse(text, { baseUrl })
      expect(url).not.toBeInstanceOf(PostbackUrl)
      expect((await advertiser.fire(url, { event: 'approved' })).outcome).toBe('received')
      expect(reached).toHaveLength(1)
    })

    it('must not include a string, a copy, a proxy or an imitation of a parsed URL', async () => {
      const { advertiser, reached, text } = await startFiring()
      const url = advertiser.parsePostbackUrl(text)
      const elsewhere = { lead_id, expose: () => text.replace('127.0.0.1', 'localhost') }
      const derived = Object.create(PostbackUrl.prototype)
      const pretended = { expose: () => 'hunter2' }
      const others = [
        text,
        { ...url },
        structuredClone(url),
        new Proxy(url, {}),
        derived,
        undefined,
        pretended,
        elsewhere,
      ]
      for (const other of others) {
        const error = await advertiser.fire(other as never, { event: 'approved' }).catch(caught => caught)
        expect(error).toMatchObject({ code: 'config', message: expect.not.stringContaining('hunter2') })
      }
      expect(reached).toHaveLength(0)
    })

    it.each<[unknown, string]>([
      [undefined, 'event'],
      [{}, 'event'],
      [{ event: '' }, 'event'],
      [{ event: 'converted' }, 'event'],
      [{ event: 'approved', ref: 7 }, 'ref'],
      [{ event: 'approved', ref: null }, 'ref'],
      [{ event: 'approved', ref: 'r'.repeat(256) }, 'ref'],
      [{ event: 'approved', ref: '\ud83d' }, 'ref'],
    ])('must not include the invalid postback %o', async (postback, field) => {
      const { advertiser, reached, text } = await startFiring()
      const error = await advertiser.fire(advertiser.parsePostbackUrl(text), postback as never).catch(caught => caught)
      expect(error).toMatchObject({ code: 'validation', issues: [{ field }] })
      expect(reached).toHaveLength(0)
    })

    it('may repeat the event in the URL, but not contradict it', async () => {
      const { advertiser, reached, text } = await startFiring()
      const url = advertiser.parsePostbackUrl(`${text}&event=loan_issued`)
      await advertiser.fire(url, { event: 'approved' })
      expect(reached[0]?.url).toMatch(/status\?token=hunter2&event=loan_issued$/)
      await expect(advertiser.fire(url, { event: 'rejected' })).rejects.toMatchObject({ code: 'config' })
      expect(reached).toHaveLength(1)
    })
  })
})
