import { type ErrorCode, maxBodyBytes, requiredConsents } from '@lead-distribution/contract'
import { type ConformanceCase, casesOf, knownInterpretation, Mismatch, rowsFrom, Unclear } from '../case.ts'
import {
  expectCode,
  expectFieldRefused,
  expectLead,
  expectNotRejected,
  expectOf,
  expectRefused,
  expectRejected,
  expectSame,
  fieldsOf,
  isAbsent,
} from '../expectations.ts'
import { submitLead, submitText, testLeads, unknownId } from '../requests.ts'
import type { Changes, Target, TargetResponse } from '../target.ts'
import { accepted, declined, everyField } from './lead-fields.ts'

const minimalProfile = { occupation: 'indefinite_employee', monthly_income: 5000 }
const withoutFields = { 'customer.financial_instruments': [{}], 'customer.address': {}, tracking: {} }

/** Valid leads and their status (Spec 2.12, 3, 4.1). */
const validLeads: readonly ConformanceCase[] = [
  ...casesOf(['4.1/200', '4.1/rule-1', '4.1/method_and_path', '5/publisher_key', '2.12/status'], [], {
    async '4.1/accepts-a-lead-with-only-the-required-fields'(target) {
      const gender = await target.interpretation('gender')
      const metadata = await target.interpretation('consent_metadata')
      const changes = {
        ...(gender !== 'required' && { 'customer.personal_data.gender': undefined }),
        ...(metadata !== 'required' && { 'consents.metadata': undefined }),
      }
      expectLead(await submitLead(target, changes))
    },
    async '4.1/responds-to-a-lead-in-json'(target) {
      const response = await submitLead(target)
      const type = response.headers.get('content-type') ?? 'none'
      if (!/^application\/json\b/i.test(type)) throw new Mismatch('the content-type application/json', type)
      expectLead(response)
    },
    'open/ignores-unknown-fields-at-any-depth': [
      { shoe_size: 42, 'customer.pets': [], 'product_data.colour': null, 'consents.entries.0.seal': {} },
      response => expectLead(response),
    ],
  }),
  ...casesOf(['2.1/tracking', '2.2/address', '2.2/profile', '2.2/financial_instruments', '4.1/200'], [], {
    '4.1/accepts-a-lead-with-every-field': [everyField, response => expectLead(response)],
    '2.7/accepts-an-instrument-an-address-and-tracking-without-fields': [
      withoutFields,
      response => expectLead(response),
    ],
  }),
  ...casesOf(['2.6/required', '2.6/occupation', '2.6/monthly_income'], [], {
    '2.6/accepts-a-profile-with-only-the-required-fields': [
      { 'customer.profile': minimalProfile },
      response => expectLead(response),
    ],
  }),
  ...casesOf(['2.3/first_name', '2.3/last_name'], [], {
    async '2.3/accepts-names-in-any-script'(target) {
      for (const name of ["O'Brien-Muñoz", 'Ελένη', '李小龍', 'מרים', '𝔄𝔫𝔞', 'Ana "la" <b>'])
        expectLead(await submitLead(target, { 'customer.personal_data.first_name': name }))
    },
  }),
  ...casesOf(['2.12/lead_id'], [], {
    async '2.12/gives-each-lead-its-own-id'(target) {
      const responses = [await submitLead(target), await submitLead(target)]
      for (const response of responses) expectLead(response)
      const ids = responses.map(({ json }) => json.lead_id).filter(id => !isAbsent(id))
      expectSame('the number of ids of two leads', new Set(ids).size, 2)
    },
  }),
  ...casesOf(['3/distributed', '4.1/rule-3', '2.12/redirect_url', '9/rule-2'], [], {
    async '3/distributes-a-lead-that-an-advertiser-accepts-with-a-redirect_url'(target) {
      const response = await submitLead(target)
      if (!target.testLeads && response.json?.status !== 'distributed')
        throw new Unclear("The ordinary lead was not distributed: pass the advertisers' criteria with --account.")
      expectLead(response, 'distributed')
      const { protocol } = new URL(response.json.redirect_url)
      expectOf(response, /^https?:$/.test(protocol), 'a redirect_url that a browser opens')
    },
  }),
  ...casesOf(['3/new', '2.12/redirect_url', '2.12/status', '9/rule-2'], ['account'], {
    '3/stores-a-lead-that-no-advertiser-accepts-as-new': [
      target => target.submit(testLeads(target, 'new')[0]),
      response => expectLead(response, 'new'),
    ],
  }),
  ...casesOf(['8/country', '2.5/country'], ['account'], {
    async '8/assumes-the-country-ES-for-an-address-without-one'(target) {
      const [abroad] = testLeads(target, 'geographicRestriction')
      const spain = target.facts.account?.products.find(({ active }) => active)?.criteria.countries.includes('ES')
      if (!spain || !abroad) throw new Unclear('The product is not available in ES, so the default has no effect.')
      expectNotRejected(await submitLead(target, { 'customer.address': { city: 'Burgos' } }), 'geographic_restriction')
    },
  }),
]

/** Texts that aren't JSON, by name. */
const notJson: readonly (readonly [name: string, text: string])[] = [
  ['an-empty-body', ''],
  ['a-blank-body', ' '],
  ['an-unclosed-object', '{'],
  ['a-trailing-comma', '[1,]'],
  ['two-values', 'null null'],
  ['text-after-an-object', '{"a":1}x'],
  ['a-null-character', '\u0000'],
  ['xml', '<lead/>'],
]

/** JSON texts that aren't submissions, by name. */
const notSubmissions: readonly (readonly [name: string, text: string])[] = [
  ['null', 'null'],
  ['a-list', '[]'],
  ['a-number', '1'],
  ['a-text', '"lead"'],
  ['a-boolean', 'true'],
  ['an-empty-object', '{}'],
]

/** Invalid values of five fields. */
const fiveInvalid: Changes = {
  'customer.contact.email.address': 'nobody',
  'product_data.loan_amount': 499,
  'product_data.loan_purpose': 'yacht',
  'product_data.loan_term_months': undefined,
  'consents.entries.1.accepted': 'maybe',
}

const jsonLead = (target: Target) => JSON.stringify(target.submission())

/** The body of a submission (Spec 4.1, 7). */
const bodies: readonly ConformanceCase[] = [
  ...casesOf(
    ['4.1/400', '4.1/request_body', '7/400', '2.13/error', '2.13/message'],
    [],
    rowsFrom(notJson, ([name, text]) => [
      `4.1/refuses-${name}-as-malformed`,
      [target => submitText(target, text), response => expectRefused(response, 400)],
    ]),
  ),
  ...casesOf(
    ['4.1/400', '7/400', '2.13/details', '2.1/customer'],
    [],
    rowsFrom(notSubmissions, ([name, text]) => [
      `4.1/refuses-${name}-as-a-lead`,
      async target => {
        const response = await submitText(target, text)
        expectRefused(response, 400)
        expectOf(response, fieldsOf(response).length > 0, 'details that name a field')
      },
    ]),
  ),
  ...casesOf(['7/validation_error', '2.13/error', '2.13/details', '2.13/details.field', '2.13/details.issue'], [], {
    async '7/returns-validation_error-for-an-amount-outside-its-bounds'(target) {
      const response = await submitLead(target, { 'product_data.loan_amount': 499 })
      expectRefused(response, 400)
      expectOf(response, response.json.error === 'validation_error', 'the error validation_error')
      const [{ field, issue } = { field: '', issue: '' }, ...others] = response.json.details ?? []
      expectOf(response, others.length === 0, 'one detail for one invalid field')
      expectOf(response, issue !== '' && field.includes('loan_amount'), 'a field and an issue')
    },
  }),
  ...casesOf(['4.1/rule-4', '4.1/400', '7/400'], [], {
    async '4.1/responds-to-deep-and-odd-bodies-without-a-500'(target) {
      const lead = jsonLead(target).slice(0, -1)
      const odd = [
        `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
        `${'{"customer":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        '{"product_id":1,"product_id":2}',
        '{"product_data":{"loan_amount":1e999}}',
        `{"consents":{"entries":[${Array(2000).fill('{}').join()}]}}`,
        `${lead},"customer":"\\ud800"}`,
      ]
      for (const text of odd) expectRefused(await submitText(target, text), 400)
      expectLead(await submitText(target, `${lead},"__proto__":{"admin":true},"constructor":{"prototype":{}}}`))
    },
  }),
  ...casesOf(['4.1/request_body', 'open/error.unsupported_media_type'], [], {
    '4.1/accepts-json-with-its-charset': [
      target => submitText(target, jsonLead(target), { 'content-type': 'application/json; charset=utf-8' }),
      response => expectLead(response),
    ],
    'open/accepts-a-byte-order-mark-before-the-json': [
      target => submitText(target, `\ufeff${jsonLead(target)}`),
      response => expectLead(response),
    ],
    async 'open/returns-unsupported_media_type-for-a-body-not-declared-as-json'(target) {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'application/json; charset=latin1',
      ]
      const compressed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      const declared: Record<string, string>[] = [{}, compressed, ...types.map(type => ({ 'content-type': type }))]
      // Bytes, because `fetch` adds a content type to text.
      for (const headers of declared)
        expectCode(
          await submitText(target, new TextEncoder().encode(jsonLead(target)), headers),
          'unsupported_media_type',
        )
    },
  }),
  ...casesOf(['open/error.malformed_json', '2.13/details'], [], {
    async 'open/returns-malformed_json-with-details-for-a-body-that-is-not-json'(target) {
      const utf16 = new Uint8Array(Uint16Array.from(jsonLead(target), char => char.charCodeAt(0)).buffer)
      for (const body of [...notJson.map(([, text]) => text), Uint8Array.of(0x22, 0xff, 0x22), utf16]) {
        const response = await submitText(target, body)
        expectCode(response, 'malformed_json')
        expectOf(response, fieldsOf(response).length > 0, 'details')
      }
    },
  }),
  ...casesOf(['open/error.payload_too_large'], [], {
    async 'open/returns-payload_too_large-for-one-byte-more-than-256-kib'(target) {
      expectLead(await submitText(target, jsonLead(target).padEnd(maxBodyBytes)))
      expectCode(await submitText(target, jsonLead(target).padEnd(maxBodyBytes + 1)), 'payload_too_large')
    },
  }),
  ...casesOf(['2.13/details', '2.13/details.field', '4.1/400', '7/400'], [], {
    'open/names-every-invalid-field-by-its-dotted-path': [
      fiveInvalid,
      response => {
        expectRefused(response, 400)
        expectSame('the fields that the details name', fieldsOf(response).sort(), Object.keys(fiveInvalid).sort())
      },
    ],
  }),
]

/** Incomplete consents, by name. */
const incompleteConsents: readonly (readonly [name: string, entries: readonly unknown[]])[] = [
  ...requiredConsents.flatMap(type => {
    const other = requiredConsents.filter(each => each !== type).map(accepted)
    return [
      [`consents-without-${type}`, other],
      [`consents-with-${type}-declined`, [...other, declined(type)]],
    ] as const
  }),
  ['an-empty-list-of-consents', []],
  ['consents-of-other-types-only', [accepted('marketing')]],
]

/** Expects a 422 or a rejection, depending on the target's interpretation of point 3. */
async function expectSemanticRefusal(target: Target, response: TargetResponse, reason: SemanticReason): Promise<void> {
  const interpretation = await target.interpretation('semantic_refusals')
  const isRejection = interpretation === 'rejected_200' || (interpretation === undefined && response.status === 200)
  if (!isRejection) return expectRefused(response, 422)
  expectRejected(response, reason)
  expectOf(response, isAbsent(response.json.lead_id), 'no lead_id, because no lead was created')
}

type SemanticReason = Extract<ErrorCode, 'consents_missing' | 'invalid_product'>

/** Expects this code if the response is an error. */
function expectCodeOrRejection(response: TargetResponse, code: SemanticReason): void {
  if (response.status === 200) expectRejected(response, code)
  else expectCode(response, code)
}

const submitInactive = (target: Target) => submitLead(target, { product_id: target.facts.inactive_product_id })

/** Semantic checks of consents, products and publishers (Spec 2.9, 4.1). */
const semantics: readonly ConformanceCase[] = [
  ...casesOf(
    ['2.9/entries', '2.12/consents_missing', '4.1/422', '7/422', '8/required_accepted_consents'],
    [],
    rowsFrom(incompleteConsents, ([name, entries]) => [
      `2.9/refuses-${name}`,
      async target =>
        expectSemanticRefusal(target, await submitLead(target, { 'consents.entries': entries }), 'consents_missing'),
    ]),
  ),
  ...casesOf(['2.9/entries', '2.9/entry.type', '2.9/entry.accepted', '2.9/entry.accepted_at'], [], {
    '2.9/accepts-other-consents-besides-the-required-ones': [
      {
        'consents.entries': [
          ...requiredConsents.map(accepted),
          declined('marketing'),
          accepted('profiling_by_partners'),
        ],
      },
      response => expectLead(response),
    ],
    '2.9/finds-the-required-consents-anywhere-in-the-list': [
      { 'consents.entries': [declined('marketing'), ...requiredConsents.toReversed().map(accepted)] },
      response => expectLead(response),
    ],
    'open/refuses-an-accepted-consent-without-a-time': [
      { 'consents.entries.0.accepted_at': null },
      response => expectFieldRefused(response, 'consents.entries.0.accepted_at'),
    ],
  }),
  ...casesOf(['2.1/product_id', '2.12/invalid_product', '4.1/422', '7/422'], [], {
    '4.1/refuses-an-unknown-product': async target =>
      expectSemanticRefusal(target, await submitLead(target, { product_id: unknownId }), 'invalid_product'),
  }),
  ...casesOf(['2.12/invalid_product', 'open/semantic_refusals'], ['inactive_product'], {
    '2.12/refuses-an-inactive-product': [
      submitInactive,
      response =>
        response.status === 422 ? expectRefused(response, 422) : expectRejected(response, 'invalid_product'),
    ],
    'open/rejects-an-inactive-product-with-200': [
      submitInactive,
      response => expectRejected(response, 'invalid_product'),
    ],
  }),
  ...casesOf(['open/error.publisher_mismatch', '2.1/publisher_id', '5/issued_by'], [], {
    'open/returns-publisher_mismatch-for-a-publisher_id-of-another-key': [
      { publisher_id: unknownId },
      response => expectCode(response, 'publisher_mismatch'),
    ],
  }),
  ...casesOf(['open/error.consents_missing', 'open/semantic_refusals'], [], {
    'open/returns-consents_missing-with-a-422': [
      { 'consents.entries': [] },
      response => expectCodeOrRejection(response, 'consents_missing'),
    ],
  }),
  ...casesOf(['open/error.invalid_product', 'open/semantic_refusals'], [], {
    'open/returns-invalid_product-with-a-422': [
      { product_id: unknownId },
      response => expectCodeOrRejection(response, 'invalid_product'),
    ],
  }),
]

/** Problems of a lead in the order of checking, each with its changes. A response names the first. */
const checks: readonly (readonly [problem: string, changes: (target: Target) => Changes])[] = [
  ['validation_error', () => ({ 'product_data.loan_amount': 1 })],
  ['publisher_mismatch', () => ({ publisher_id: unknownId })],
  ['invalid_product', () => ({ product_id: unknownId })],
  ['consents_missing', () => ({ 'consents.entries': [] })],
  ['blacklisted', target => ({ customer: testLeads(target, 'blacklisted')[0]?.customer })],
  ['fraud_suspected', target => ({ 'consents.metadata': testLeads(target, 'fraudSuspected')[0]?.consents.metadata })],
  ['age_restriction', () => ({ 'customer.personal_data.birthday': `${new Date().getUTCFullYear() - 3}-01-01` })],
  [
    'income_insufficient',
    target => ({ 'customer.profile': testLeads(target, 'incomeInsufficient')[0]?.customer.profile }),
  ],
  [
    'geographic_restriction',
    target => ({ 'customer.address': testLeads(target, 'geographicRestriction')[0]?.customer.address }),
  ],
]

/** The problem that a response names if there are two (open points, fixed choices). */
const order = casesOf(
  ['4.1/rule-3'],
  ['account'],
  Object.fromEntries(
    checks.slice(0, -1).map(([problem, changes], place) => {
      const [next, nextChanges] = checks[place + 1] ?? []
      return [
        `open/reports-${problem}-before-${next}`,
        async (target: Target) => {
          const response = await submitLead(target, { ...nextChanges?.(target), ...changes(target) })
          const seen = response.json?.rejection_reason ?? response.json?.error
          if (seen === undefined && response.status === 200)
            throw new Unclear('The lead was not refused: the criteria are different.')
          if (seen !== problem) throw new Mismatch(problem, `${response.status} ${seen}`)
        },
      ]
    }),
  ),
)

/** Handles a lead without a field that only one interpretation requires, consistently with the target's. */
async function expectOptionalOrRequired(target: Target, point: 'gender' | 'consent_metadata', path: string) {
  const response = await submitLead(target, { [path]: undefined })
  if ((await knownInterpretation(target, point)) === 'required') expectFieldRefused(response, path)
  else expectLead(response)
}

/** Consistency with the target's own interpretation of open points. */
const consistency: readonly ConformanceCase[] = [
  ...casesOf(['open/gender', '2.3/gender'], [], {
    '2.3/treats-a-lead-without-gender-consistently': target =>
      expectOptionalOrRequired(target, 'gender', 'customer.personal_data.gender'),
  }),
  ...casesOf(['open/consent_metadata', '2.9/metadata'], [], {
    '2.9/treats-a-lead-without-consent-metadata-consistently': target =>
      expectOptionalOrRequired(target, 'consent_metadata', 'consents.metadata'),
  }),
  ...casesOf(['open/absent_fields', '2.12/redirect_url', '2.12/rejection_reason', '2.12/lead_id'], [], {
    async 'open/omits-every-absent-field-or-none'(target) {
      const absent = (await knownInterpretation(target, 'absent_fields')) === 'null' ? undefined : null
      const lead = target.submission()
      const others = target.testLeads ? (['new', 'geographicRestriction'] as const) : []
      for (const each of [lead, lead, ...others.map(name => testLeads(target, name)[0])]) {
        const response = await target.submit(each)
        expectLead(response)
        const fields = ['lead_id', 'redirect_url', 'rejection_reason']
        const odd = fields.filter(field => response.json[field] === absent)
        expectOf(
          response,
          odd.length === 0,
          `${odd.join(' and ')} ${absent === null ? 'left out' : 'null'}, as elsewhere`,
        )
      }
    },
  }),
]

/** Submitting a lead: its body, consents and product, and the order of checks (Spec 2.9, 2.12, 3, 4.1, 7). */
export const submissionCases: readonly ConformanceCase[] = [
  ...validLeads,
  ...bodies,
  ...semantics,
  ...order,
  ...consistency,
]
