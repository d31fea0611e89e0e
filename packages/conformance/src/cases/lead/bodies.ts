import { maxBodyBytes } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode, expectLead, expectOf, expectRefusal, fieldsOf } from '../../expectations.ts'
import type { Target, TargetResponse } from '../../target.ts'

const json = { 'content-type': 'application/json' }

/** Submits a raw body, as JSON by default. */
const submitText = (
  target: Target,
  body: string | Uint8Array,
  headers: Record<string, string> = json,
): Promise<TargetResponse> => target.submit(body, { headers })

/** Texts that aren't JSON, by name. */
const notJson: readonly (readonly [name: string, text: string])[] = [
  ['nothing', ''],
  ['a-blank', ' '],
  ['an-open-object', '{'],
  ['a-trailing-comma', '[1,]'],
  ['two-values', 'null null'],
  ['a-tail', '{"a":1}x'],
  ['a-null-character', '\u0000'],
  ['xml', '<lead/>'],
]

/** JSON texts that aren't submissions. */
const notSubmissions = ['null', '[]', '1', '"lead"', 'true', '{}']

/** Returns a valid lead of exactly this many bytes. */
function paddedTo(bytes: number, target: Target): string {
  return JSON.stringify(target.submission()).padEnd(bytes)
}

const malformedCases: readonly ConformanceCase[] = notJson.map(([name, text]) => ({
  id: `4.1/refuses-${name}-as-malformed`,
  title: `refuses a malformed body with 400: ${name.replaceAll('-', ' ')}`,
  statements: ['4.1/400', '4.1/request_body', '7/400', '2.13/error', '2.13/message'],
  run: async target => expectRefusal(await submitText(target, text), 400),
}))

/** The body of a submission (Spec 4.1, 7). */
export const bodyCases: readonly ConformanceCase[] = [
  ...malformedCases,
  ...notSubmissions.map(
    (text): ConformanceCase => ({
      id: `4.1/refuses-a-body-of-${text === '{}' ? 'no-field' : text === '[]' ? 'a-list' : text.replaceAll('"', '')}`,
      title: `refuses the body ${text} with 400 and details`,
      statements: ['4.1/400', '7/400', '2.13/details', '2.1/customer'],
      async run(target) {
        const response = await submitText(target, text)
        expectRefusal(response, 400)
        expectOf(response, fieldsOf(response).length > 0, 'details that name a field')
      },
    }),
  ),
  {
    id: '7/validation_error',
    title: 'returns validation_error for an amount outside its bounds, and names the field',
    statements: ['7/validation_error', '2.13/error', '2.13/details', '2.13/details.field', '2.13/details.issue'],
    async run(target) {
      const response = await target.submit(target.submission({ 'product_data.loan_amount': 499 }))
      expectRefusal(response, 400)
      expectOf(response, response.json.error === 'validation_error', 'the error validation_error')
      const details = (response.json.details ?? []) as { field: string; issue: string }[]
      expectOf(response, details.length === 1, 'one detail for one invalid field')
      expectOf(
        response,
        details.every(each => each.issue !== '' && each.field.includes('loan_amount')),
        'a field and an issue',
      )
    },
  },
  {
    id: '4.1/answers-odd-bodies-without-a-error',
    title: 'handles odd, deep and huge bodies without failing',
    statements: ['4.1/rule-4', '4.1/400', '7/400'],
    async run(target) {
      const lead = JSON.stringify(target.submission()).slice(0, -1)
      const odd = [
        `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
        `${'{"customer":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        '{"product_id":1,"product_id":2}',
        '{"product_data":{"loan_amount":1e999}}',
        `{"consents":{"entries":[${Array(2000).fill('{}').join()}]}}`,
        `${lead},"customer":"\\ud800"}`,
      ]
      for (const text of odd) expectRefusal(await submitText(target, text), 400)
      expectLead(await submitText(target, `${lead},"__proto__":{"admin":true},"constructor":{"prototype":{}}}`))
    },
  },
  {
    id: '2.3/takes-names-of-any-script',
    title: 'accepts names in any script',
    statements: ['2.3/first_name', '2.3/last_name'],
    async run(target) {
      for (const name of ["O'Brien-Muñoz", 'Ελένη', '李小龍', 'מרים', '𝔄𝔫𝔞', 'Ana "la" <b>'])
        expectLead(await target.submit(target.submission({ 'customer.personal_data.first_name': name })))
    },
  },
  {
    id: '4.1/takes-json-with-its-charset',
    title: 'accepts a body with the charset UTF-8 in its content type',
    statements: ['4.1/request_body'],
    async run(target) {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      expectLead(await submitText(target, JSON.stringify(target.submission()), headers))
    },
  },
  {
    id: 'open/malformed_json',
    title: 'returns malformed_json with details for a body that is not JSON',
    statements: ['open/error.malformed_json', '2.13/details'],
    async run(target) {
      const inUtf16 = new Uint8Array(
        Uint16Array.from(JSON.stringify(target.submission()), char => char.charCodeAt(0)).buffer,
      )
      for (const body of [...notJson.map(([, text]) => text), Uint8Array.of(0x22, 0xff, 0x22), inUtf16]) {
        const response = await submitText(target, body)
        expectCode(response, 'malformed_json')
        expectOf(response, fieldsOf(response).length > 0, 'details')
      }
    },
  },
  {
    id: 'open/takes-a-byte-order-mark',
    title: 'accepts a body that starts with a byte order mark',
    statements: ['4.1/request_body'],
    run: async target => expectLead(await submitText(target, `\ufeff${JSON.stringify(target.submission())}`)),
  },
  {
    id: 'open/unsupported_media_type',
    title: 'refuses a body that is not declared as JSON, or declared as compressed, with 415',
    statements: ['open/error.unsupported_media_type', '4.1/request_body'],
    async run(target) {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'application/json; charset=latin1',
      ]
      const declared = [{}, { ...json, 'content-encoding': 'gzip' }, ...types.map(type => ({ 'content-type': type }))]
      // Bytes, because `fetch` adds a content type to text.
      const body = () => new TextEncoder().encode(JSON.stringify(target.submission()))
      for (const headers of declared) expectCode(await submitText(target, body(), headers), 'unsupported_media_type')
    },
  },
  {
    id: 'open/payload_too_large',
    title: 'accepts a body of exactly 256 KiB and refuses one more byte with 413',
    statements: ['open/error.payload_too_large'],
    async run(target) {
      expectLead(await submitText(target, paddedTo(maxBodyBytes, target)))
      expectCode(await submitText(target, paddedTo(maxBodyBytes + 1, target)), 'payload_too_large')
    },
  },
  {
    id: 'open/names-every-wrong-field-at-once',
    title: 'lists every invalid field at once, each by its dotted path',
    statements: ['2.13/details', '2.13/details.field', '4.1/400', '7/400'],
    async run(target) {
      const invalid = {
        'customer.contact.email.address': 'nobody',
        'product_data.loan_amount': 499,
        'product_data.loan_purpose': 'yacht',
        'product_data.loan_term_months': undefined,
        'consents.entries.1.accepted': 'maybe',
      }
      const response = await target.submit(target.submission(invalid))
      expectRefusal(response, 400)
      const paths = Object.keys(invalid).sort()
      expectOf(response, fieldsOf(response).sort().join() === paths.join(), `details for exactly ${paths.join(', ')}`)
    },
  },
]
