import { keyHeader } from '@lead-distribution/contract'
import { type ConformanceCase, Unclear } from '../../conformance-case.ts'
import { expectCode, expectLead, expectOf, expectRefusal, expectSame } from '../../expectations.ts'
import type { CallOptions, Target, TargetResponse } from '../../target.ts'

const submitAs = (target: Target, options: CallOptions, path = '/lead'): Promise<TargetResponse> =>
  target.call('POST', path, { body: target.submission(), ...options })

const inQuery = ({ facts }: Target) => `/lead?${keyHeader}=${encodeURIComponent(facts.publisher.api_key)}`

/** Submissions without a valid key, by name. */
const unkeyed: readonly (readonly [name: string, submit: (target: Target) => Promise<TargetResponse>])[] = [
  ['no-key', target => submitAs(target, {})],
  ['an-empty-key', target => submitAs(target, { key: '' })],
  ['an-unknown-key', target => submitAs(target, { key: 'key_that_nobody_has' })],
  ['a-longer-key', target => submitAs(target, { key: `${target.facts.publisher.api_key}x` })],
  ['a-shorter-key', target => submitAs(target, { key: target.facts.publisher.api_key.slice(0, -1) })],
  ['a-key-in-the-query', target => submitAs(target, {}, inQuery(target))],
  [
    'a-key-as-bearer',
    target => submitAs(target, { headers: { authorization: `Bearer ${target.facts.publisher.api_key}` } }),
  ],
  ['a-key-in-another-header', target => submitAs(target, { headers: { 'x-api-key': target.facts.publisher.api_key } })],
]

const unkeyedCases: readonly ConformanceCase[] = unkeyed.map(([name, submit]) => ({
  id: `5/refuses-${name}`,
  title: `returns 401 for a submission with ${name.replaceAll('-', ' ')}`,
  statements: ['5/missing_or_invalid_key', '4.1/401', '7/401', '5/scheme', '5/where', '4/apikey'],
  run: async target => expectRefusal(await submit(target), 401),
}))

/** The key of a submission (Spec 5). */
export const keyCases: readonly ConformanceCase[] = [
  ...unkeyedCases,
  {
    id: '5/takes-the-header-in-any-letter-case',
    title: 'accepts the header name in any letter case',
    statements: ['5/scheme'],
    run: async target => expectLead(await submitAs(target, { headers: { ApiKEY: target.facts.publisher.api_key } })),
  },
  {
    id: '5/takes-the-key-again',
    title: 'accepts a key any number of times',
    statements: ['5/expiry', '5/publisher_key'],
    async run(target) {
      for (let time = 0; time < 3; time++) expectLead(await target.submit(target.submission()))
    },
  },
  {
    id: '5/keeps-advertisers-from-submitting',
    title: "refuses a lead submitted with an advertiser's key",
    statements: ['5/scope', '4.1/caller'],
    needs: ['advertiser'],
    async run(target) {
      expectRefusal(await submitAs(target, { key: target.facts.advertisers[0]?.api_key }), 401, 403)
    },
  },
  {
    id: 'open/refuses-a-wrong-scope-as-an-unknown-key',
    title: 'refuses a key with the wrong scope with the same 401 as an unknown key',
    statements: ['5/scope', 'open/error.unauthorized'],
    needs: ['advertiser'],
    async run(target) {
      const wrong = await submitAs(target, { key: target.facts.advertisers[0]?.api_key })
      expectCode(wrong, 'unauthorized')
      expectSame('the body', wrong.text, (await submitAs(target, { key: 'key_that_nobody_has' })).text)
    },
  },
  {
    id: 'open/refuses-every-nobody-alike',
    title: 'refuses every wrong or missing key or token with the same body, with the code unauthorized',
    statements: ['open/error.unauthorized', '5/missing_or_invalid_key'],
    async run(target) {
      const first = await submitAs(target, {})
      expectCode(first, 'unauthorized')
      const status = `/lead/${crypto.randomUUID()}/status`
      const others = [
        await submitAs(target, { key: 'key_that_nobody_has' }),
        await target.call('POST', status, { body: { status: 'converted' } }),
        await target.call('GET', `${status}?token=none&event=approved`),
      ]
      for (const { text } of others) expectSame('the body', text, first.text)
    },
  },
  {
    id: 'open/refuses-a-key-in-the-query-beside-the-header',
    title: 'refuses a request with a second copy of its key in the query',
    statements: ['5/where'],
    async run(target) {
      expectRefusal(await submitAs(target, { key: target.facts.publisher.api_key }, inQuery(target)), 401)
    },
  },
  {
    id: 'open/takes-keys-to-the-letter',
    title: 'refuses a key in different letter case',
    statements: ['5/missing_or_invalid_key'],
    async run(target) {
      const { api_key } = target.facts.publisher
      const other = api_key === api_key.toUpperCase() ? api_key.toLowerCase() : api_key.toUpperCase()
      if (other === api_key) throw new Unclear('The key contains no letters.')
      expectRefusal(await submitAs(target, { key: other }), 401)
    },
  },
  {
    id: 'open/asks-for-the-key-first',
    title: 'checks the key before the body',
    statements: ['4.1/401'],
    async run(target) {
      for (const body of ['', '{', '[]', 'x'.repeat(300_000)]) {
        const response = await target.call('POST', '/lead', { body, headers: { 'content-type': 'text/plain' } })
        expectOf(response, response.status === 401, '401 regardless of the body')
      }
    },
  },
]

const otherMethods = ['GET', 'PUT', 'PATCH', 'DELETE']

const callLead = (target: Target, method: string) =>
  target.call(method, '/lead', {
    key: target.facts.publisher.api_key,
    ...(method !== 'GET' && { body: target.submission() }),
  })

/** The method and path of submissions (Spec 4.1, 9). */
export const pathCases: readonly ConformanceCase[] = [
  {
    id: '4.1/takes-leads-by-post-only',
    title: 'accepts a lead only by POST',
    statements: ['4.1/method_and_path'],
    async run(target) {
      for (const method of otherMethods) {
        const response = await callLead(target, method)
        expectOf(response, response.status >= 400 && response.status < 500, `an error for ${method}`)
      }
    },
  },
  {
    id: '9/has-its-version-in-the-path',
    title: 'accepts a lead only under its version path',
    statements: ['9/path', '4.1/method_and_path'],
    async run(target) {
      const { baseUrl, publisher } = target.facts
      const other = baseUrl.replace(/\/v1$/, '/v999')
      if (other === baseUrl) throw new Unclear('The base URL does not end with the version /v1.')
      const response = await target.call('POST', `${other}/lead`, { key: publisher.api_key, body: target.submission() })
      expectOf(response, response.status >= 400 && response.status < 500, 'an error for another version')
    },
  },
  {
    id: 'open/method_not_allowed',
    title: 'refuses another method with 405 and an Allow header',
    statements: ['open/error.method_not_allowed', '4.1/method_and_path'],
    async run(target) {
      for (const method of otherMethods) {
        const response = await callLead(target, method)
        expectCode(response, 'method_not_allowed')
        const allow = response.headers.get('allow') ?? 'nothing'
        expectOf(response, allow === 'POST', `the header Allow: POST (got ${allow})`)
      }
    },
  },
  {
    id: 'open/not_found',
    title: 'returns 404 with an error body for an unknown path',
    statements: ['open/error.not_found'],
    async run(target) {
      for (const path of ['/leads', '/lead/', '/Lead', '/nothing'])
        expectCode(await target.call('POST', path, { key: target.facts.publisher.api_key, body: {} }), 'not_found')
    },
  },
]
