import { keyHeader } from '@lead-distribution/contract'
import { type ConformanceCase, casesFrom, casesOf, Unclear } from '../case.ts'
import { expect } from '../expectations.ts'
import { submitLead, unknownKey } from '../requests.ts'
import type { CallOptions, Target, TargetResponse } from '../target.ts'

/** Submits a lead with options that replace the publisher's key. */
const submitWith = (target: Target, options: CallOptions, path = '/lead') =>
  target.call('POST', path, { body: target.submission(), ...options })

const publisherKey = ({ facts }: Target) => facts.publisher.api_key
const keyInQuery = (target: Target) => `/lead?${keyHeader}=${encodeURIComponent(publisherKey(target))}`
const submitAsAdvertiser = (target: Target) => submitWith(target, { key: target.facts.advertisers[0]?.api_key })

/** Submissions without a valid key. */
const unkeyed: Readonly<Record<string, (target: Target) => Promise<TargetResponse>>> = {
  'without-a-key': target => submitWith(target, {}),
  'with-an-empty-key': target => submitWith(target, { key: '' }),
  'with-an-unknown-key': target => submitWith(target, { key: unknownKey }),
  'with-a-longer-key': target => submitWith(target, { key: `${publisherKey(target)}x` }),
  'with-a-shorter-key': target => submitWith(target, { key: publisherKey(target).slice(0, -1) }),
  'with-the-key-in-the-query': target => submitWith(target, {}, keyInQuery(target)),
  'with-the-key-as-a-bearer-token': target =>
    submitWith(target, { headers: { authorization: `Bearer ${publisherKey(target)}` } }),
  'with-the-key-in-another-header': target => submitWith(target, { headers: { 'x-api-key': publisherKey(target) } }),
}

/** The key of a submission (Spec 5). */
const keys: readonly ConformanceCase[] = [
  ...casesOf(['5/missing_or_invalid_key', '4.1/401', '7/401', '5/scheme', '5/where', '4/apikey'], [], {
    ...casesFrom(unkeyed, (name, submit) => [
      `5/refuses-a-lead-${name}`,
      async target => expect.refused(await submit(target), 401),
    ]),
  }),
  ...casesOf(['5/scheme', '5/where'], [], {
    '5/accepts-the-key-header-in-any-letter-case': async target =>
      expect.lead(await submitWith(target, { headers: { ApiKEY: publisherKey(target) } })),
    'open/refuses-a-lead-with-the-key-both-in-the-header-and-in-the-query': async target =>
      expect.refused(await submitWith(target, { key: publisherKey(target) }, keyInQuery(target)), 401),
  }),
  ...casesOf(['5/expiry', '5/publisher_key'], [], {
    async '5/accepts-the-same-key-every-time'(target) {
      for (let time = 0; time < 3; time++) expect.lead(await submitLead(target))
    },
  }),
  ...casesOf(['5/scope', '4.1/caller', 'open/error.unauthorized'], ['advertiser'], {
    '5/refuses-a-lead-with-the-key-of-an-advertiser': async target =>
      expect.refused(await submitAsAdvertiser(target), 401, 403),
    async 'open/returns-the-same-401-for-the-key-of-an-advertiser-as-for-an-unknown-key'(target) {
      const unknown = await submitWith(target, { key: unknownKey })
      expect.alike('unauthorized', [unknown, await submitAsAdvertiser(target)])
    },
  }),
  ...casesOf(['open/error.unauthorized', '5/missing_or_invalid_key', '4.1/401'], [], {
    async 'open/returns-the-same-401-for-every-wrong-key-or-token'(target) {
      const status = `/lead/${crypto.randomUUID()}/status`
      expect.alike('unauthorized', [
        await submitWith(target, {}),
        await submitWith(target, { key: unknownKey }),
        await target.call('POST', status, { body: { status: 'converted' } }),
        await target.call('GET', `${status}?token=none&event=approved`),
      ])
    },
    async 'open/refuses-a-key-in-another-letter-case'(target) {
      const key = publisherKey(target)
      const other = key === key.toUpperCase() ? key.toLowerCase() : key.toUpperCase()
      if (other === key) throw new Unclear('The key contains no letters.')
      expect.refused(await submitWith(target, { key: other }), 401)
    },
    async 'open/checks-the-key-before-the-body'(target) {
      for (const body of ['', '{', '[]', 'x'.repeat(300_000)]) {
        const { status } = await target.call('POST', '/lead', { body, headers: { 'content-type': 'text/plain' } })
        expect.same('the status', status, 401)
      }
    },
  }),
]

/** Requests the submission path with every other method. */
async function callByOtherMethods(target: Target, expectation: (response: TargetResponse) => void): Promise<void> {
  const key = publisherKey(target)
  expectation(await target.call('GET', '/lead', { key }))
  for (const method of ['PUT', 'PATCH', 'DELETE'])
    expectation(await target.call(method, '/lead', { key, body: target.submission() }))
}

/** The method and path of a submission (Spec 4.1, 9). */
const paths: readonly ConformanceCase[] = [
  ...casesOf(['4.1/method_and_path', 'open/error.method_not_allowed'], [], {
    '4.1/accepts-a-lead-by-post-only': target => callByOtherMethods(target, expect.clientError),
    'open/returns-method_not_allowed-for-other-methods-on-the-lead-path': target =>
      callByOtherMethods(target, response => {
        expect.code(response, 'method_not_allowed')
        expect.same('the Allow header', response.headers.get('allow'), 'POST')
      }),
  }),
  ...casesOf(['9/path', '4.1/method_and_path'], [], {
    async '9/accepts-a-lead-only-under-the-version-path'(target) {
      const { baseUrl } = target.facts
      const other = baseUrl.replace(/\/v1$/, '/v999')
      if (other === baseUrl) throw new Unclear('The base URL does not end with the version /v1.')
      expect.clientError(await submitWith(target, { key: publisherKey(target) }, `${other}/lead`))
    },
  }),
  ...casesOf(['open/error.not_found'], [], {
    async 'open/returns-not_found-for-an-unknown-path'(target) {
      for (const path of ['/leads', '/lead/', '/Lead', '/nothing'])
        expect.code(await target.call('POST', path, { key: publisherKey(target), body: {} }), 'not_found')
    },
  }),
]

/** Keys, methods and paths of submissions (Spec 4.1, 5, 9). */
export const keyCases: readonly ConformanceCase[] = [...keys, ...paths]
