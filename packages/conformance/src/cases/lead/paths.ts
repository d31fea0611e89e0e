import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode } from '../../expectations/expect-error.ts'
import { expectOf } from '../../expectations/expect-reply.ts'
import { Unclear } from '../../mismatch.ts'
import type { Target } from '../../target.ts'

const otherMethods = ['GET', 'PUT', 'PATCH', 'DELETE']

const callLead = (target: Target, method: string) =>
  target.call(method, '/lead', {
    key: target.facts.publisher.api_key,
    ...(method !== 'GET' && { body: target.submission() }),
  })

/** Where leads are submitted, and where not (Spec 4.1, 9). */
export const pathCases: readonly ConformanceCase[] = [
  {
    id: '4.1/takes-leads-by-post-alone',
    title: 'takes a lead by no method but POST',
    statements: ['4.1/method_and_path'],
    async run(target) {
      for (const method of otherMethods) {
        const reply = await callLead(target, method)
        expectOf(reply, reply.status >= 400 && reply.status < 500, `a refusal of ${method}`)
      }
    },
  },
  {
    id: '9/stands-under-its-version',
    title: 'takes a lead under the version of its path alone',
    statements: ['9/path', '4.1/method_and_path'],
    async run(target) {
      const { baseUrl, publisher } = target.facts
      const other = baseUrl.replace(/\/v1$/, '/v999')
      if (other === baseUrl) throw new Unclear('The base address does not end with its version: /v1.')
      const reply = await target.call('POST', `${other}/lead`, { key: publisher.api_key, body: target.submission() })
      expectOf(reply, reply.status >= 400 && reply.status < 500, 'a refusal at another version')
    },
  },
  {
    id: 'open/method_not_allowed',
    title: 'answers another method with 405 and Allow',
    statements: ['open/error.method_not_allowed', '4.1/method_and_path'],
    weight: 'reading',
    async run(target) {
      for (const method of otherMethods) {
        const reply = await callLead(target, method)
        expectCode(reply, 'method_not_allowed')
        const allow = reply.headers.get('allow') ?? 'nothing'
        expectOf(reply, allow === 'POST', `Allow: POST, and not ${allow}`)
      }
    },
  },
  {
    id: 'open/not_found',
    title: 'answers a path that there is not with 404 in the shape of an error',
    statements: ['open/error.not_found'],
    weight: 'reading',
    async run(target) {
      for (const path of ['/leads', '/lead/', '/Lead', '/nothing'])
        expectCode(await target.call('POST', path, { key: target.facts.publisher.api_key, body: {} }), 'not_found')
    },
  },
]
