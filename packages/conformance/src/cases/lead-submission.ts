import { type ErrorCode, maxBodyBytes } from '@lead-distribution/contract'
import { type ConformanceCase, casesFrom, casesOf, knownInterpretation, Mismatch, type Run, Unclear } from '../case.ts'
import { expect, fieldsOf, isAbsent } from '../expectations.ts'
import { submitLead, submitText, testLeads, unknownId } from '../requests.ts'
import type { Changes, Target, TargetResponse } from '../target.ts'
import { consent } from './lead-fields.ts'

/** Expects a lead with these changes to be accepted. */
function accepts(changes: Changes): Run {
  return async target => expect.lead(await submitLead(target, changes))
}

/** Every optional field of the specification, with realistic values. */
const everyField: Changes = {
  'customer.external_id': 'crm-42',
  'customer.personal_data.second_surname': 'Ejemplo',
  'customer.personal_data.birthday': '1990-05-17',
  'customer.personal_data.identification_number': '00000000T',
  'customer.personal_data.nacionality': 'ES',
  'customer.contact.email.status': 'verified',
  'customer.contact.email.verified_at': '2026-01-30T10:00:00Z',
  'customer.contact.email.verification_method': 'otp',
  'customer.contact.email.source': 'form',
  'customer.contact.phone': {
    area_code: '+34',
    number: '600123456',
    status: 'pending',
    verified_at: '2026-01-30T10:00:00Z',
    verification_method: 'otp',
    source: 'form',
  },
  'customer.address': {
    street: 'Calle Mayor',
    house: '1',
    floor: '2',
    apartment: 'B',
    city: 'Madrid',
    region: 'Madrid',
    postal_code: '28013',
    country: 'ES',
  },
  'customer.profile': {
    occupation: 'indefinite_employee',
    monthly_income: 5000,
    monthly_expenses: 600,
    marital_status: 'married',
    children: 2,
    education: 'masters',
    housing_tenure: 'rental',
    housing_type: 'apartment',
    company_sector: 'healthcare',
  },
  'customer.financial_instruments': [
    { type: 'bank_account', currency: 'EUR', iban: 'ES9121000418450200051332', status: 'verified' },
  ],
  'consents.entries.2': { ...consent('marketing', true), document_url: 'https://example.com/marketing' },
  'consents.metadata.user_agent': 'browser',
  tracking: { click_id: 'c', sub_id: 's', campaign_id: 'k', source: 'https://example.com/loans' },
}

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
      expect.lead(await submitLead(target, changes))
    },
    async '4.1/responds-to-a-lead-in-json'(target) {
      const response = await submitLead(target)
      const type = response.headers.get('content-type') ?? 'none'
      if (!/^application\/json\b/i.test(type)) throw new Mismatch('the content-type application/json', type)
      expect.lead(response)
    },
    'open/ignores-unknown-fields-at-any-depth': accepts({
      shoe_size: 42,
      'customer.pets': [],
      'product_data.colour': null,
      'consents.entries.0.seal': {},
    }),
  }),
  ...casesOf(['2.1/tracking', '2.2/address', '2.2/profile', '2.2/financial_instruments', '4.1/200'], [], {
    '4.1/accepts-a-lead-with-every-field': accepts(everyField),
    '2.7/accepts-an-empty-instrument-address-and-tracking': accepts({
      'customer.financial_instruments': [{}],
      'customer.address': {},
      tracking: {},
    }),
  }),
  ...casesOf(['2.6/required', '2.6/occupation', '2.6/monthly_income'], [], {
    '2.6/accepts-a-profile-with-only-the-required-fields': accepts({
      'customer.profile': { occupation: 'indefinite_employee', monthly_income: 5000 },
    }),
  }),
  ...casesOf(['2.3/first_name', '2.3/last_name'], [], {
    async '2.3/accepts-names-in-any-script'(target) {
      for (const name of ["O'Brien-Muñoz", 'Ελένη', '李小龍', 'מרים', '𝔄𝔫𝔞', 'Ana "la" <b>'])
        expect.lead(await submitLead(target, { 'customer.personal_data.first_name': name }))
    },
  }),
  ...casesOf(['2.12/lead_id'], [], {
    async '2.12/gives-each-lead-its-own-id'(target) {
      const responses = [await submitLead(target), await submitLead(target)]
      for (const response of responses) expect.lead(response)
      const ids = responses.map(({ json }) => json.lead_id).filter(id => !isAbsent(id))
      expect.same('the number of ids of two leads', new Set(ids).size, 2)
    },
  }),
  ...casesOf(['3/distributed', '4.1/rule-3', '2.12/redirect_url', '9/rule-2'], [], {
    async '3/distributes-a-lead-that-an-advertiser-accepts-with-a-redirect_url'(target) {
      const response = await submitLead(target)
      if (!target.testLeads && response.json?.status !== 'distributed')
        throw new Unclear("The ordinary lead was not distributed: pass the advertisers' criteria with --account.")
      expect.lead(response, 'distributed')
      const { protocol } = new URL(response.json.redirect_url)
      expect.that(response, /^https?:$/.test(protocol), 'a redirect_url that a browser can open')
    },
  }),
  ...casesOf(['3/new', '2.12/redirect_url', '2.12/status', '9/rule-2'], ['account'], {
    '3/stores-a-lead-that-no-advertiser-accepts-as-new': async target =>
      expect.lead(await target.submit(testLeads(target, 'new')[0]), 'new'),
  }),
  ...casesOf(['8/country', '2.5/country'], ['account'], {
    async '8/assumes-the-country-ES-for-an-address-without-one'(target) {
      // Throws if the product is available in every country.
      testLeads(target, 'geographicRestriction')
      const product = target.facts.account?.products.find(({ active }) => active)
      if (!product?.criteria.countries.includes('ES'))
        throw new Unclear('The product is not available in ES, so the default has no effect.')
      expect.notRejected(await submitLead(target, { 'customer.address': { city: 'Burgos' } }), 'geographic_restriction')
    },
  }),
]

/** Texts that aren't JSON. */
const notJson = {
  'an-empty-body': '',
  'a-blank-body': ' ',
  'an-unclosed-object': '{',
  'a-trailing-comma': '[1,]',
  'two-values': 'null null',
  'text-after-an-object': '{"a":1}x',
  'a-null-character': '\u0000',
  xml: '<lead/>',
}

/** JSON texts that aren't submissions. */
const notSubmissions = {
  null: 'null',
  'a-list': '[]',
  'a-number': '1',
  'a-text': '"lead"',
  'a-boolean': 'true',
  'an-empty-object': '{}',
}

/** Invalid values of five fields. */
const fiveInvalid: Changes = {
  'customer.contact.email.address': 'nobody',
  'product_data.loan_amount': 499,
  'product_data.loan_purpose': 'yacht',
  'product_data.loan_term_months': undefined,
  'consents.entries.1.accepted': 'maybe',
}

/** Content types other than plain JSON in UTF-8. */
const otherMediaTypes: readonly Record<string, string>[] = [
  {},
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/xml' },
  { 'content-type': 'application/json; charset=latin1' },
]

const jsonLead = (target: Target) => JSON.stringify(target.submission())

/** The body of a submission (Spec 4.1, 7). */
const bodies: readonly ConformanceCase[] = [
  ...casesOf(['4.1/400', '4.1/request_body', '7/400', '2.13/error', '2.13/message'], [], {
    ...casesFrom(notJson, (name, text) => [
      `4.1/refuses-${name}-as-malformed`,
      async target => expect.refused(await submitText(target, text), 400),
    ]),
  }),
  ...casesOf(['4.1/400', '7/400', '2.13/details', '2.1/customer'], [], {
    ...casesFrom(notSubmissions, (name, text) => [
      `4.1/refuses-${name}-as-a-lead`,
      async target => {
        const response = await submitText(target, text)
        expect.refused(response, 400)
        expect.that(response, fieldsOf(response).length > 0, 'details that name a field')
      },
    ]),
  }),
  ...casesOf(['7/validation_error', '2.13/error', '2.13/details', '2.13/details.field', '2.13/details.issue'], [], {
    async '7/returns-validation_error-for-an-amount-outside-its-bounds'(target) {
      const response = await submitLead(target, { 'product_data.loan_amount': 499 })
      expect.code(response, 'validation_error')
      const [{ field, issue } = { field: '', issue: '' }, ...others] = response.json.details ?? []
      expect.that(response, others.length === 0, 'one detail for one invalid field')
      expect.that(response, issue !== '' && field.includes('loan_amount'), 'a field and an issue')
    },
  }),
  ...casesOf(['4.1/rule-4', '4.1/400', '7/400'], [], {
    async '4.1/returns-no-500-for-deeply-nested-and-unusual-json'(target) {
      const lead = jsonLead(target).slice(0, -1)
      const unusual = [
        `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
        `${'{"customer":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        '{"product_id":1,"product_id":2}',
        '{"product_data":{"loan_amount":1e999}}',
        `{"consents":{"entries":[${Array(2000).fill('{}').join()}]}}`,
        `${lead},"customer":"\\ud800"}`,
      ]
      for (const text of unusual) expect.refused(await submitText(target, text), 400)
      expect.lead(await submitText(target, `${lead},"__proto__":{"admin":true},"constructor":{"prototype":{}}}`))
    },
  }),
  ...casesOf(['4.1/request_body', 'open/error.unsupported_media_type'], [], {
    async '4.1/accepts-json-with-a-charset'(target) {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      expect.lead(await submitText(target, jsonLead(target), headers))
    },
    'open/accepts-a-byte-order-mark-before-the-json': async target =>
      expect.lead(await submitText(target, `\ufeff${jsonLead(target)}`)),
    async 'open/returns-unsupported_media_type-for-a-body-not-declared-as-json'(target) {
      for (const headers of otherMediaTypes) {
        // Bytes, because `fetch` adds a content type to text.
        const response = await submitText(target, new TextEncoder().encode(jsonLead(target)), headers)
        expect.code(response, 'unsupported_media_type')
      }
    },
  }),
  ...casesOf(['open/error.malformed_json', '2.13/details'], [], {
    async 'open/returns-malformed_json-with-details-for-a-body-that-is-not-json'(target) {
      const utf16 = new Uint8Array(Uint16Array.from(jsonLead(target), char => char.charCodeAt(0)).buffer)
      for (const body of [...Object.values(notJson), Uint8Array.of(0x22, 0xff, 0x22), utf16]) {
        const response = await submitText(target, body)
        expect.code(response, 'malformed_json')
        expect.that(response, fieldsOf(response).length > 0, 'details')
      }
    },
  }),
  ...casesOf(['open/error.payload_too_large'], [], {
    async 'open/returns-payload_too_large-for-one-byte-more-than-256-kib'(target) {
      expect.lead(await submitText(target, jsonLead(target).padEnd(maxBodyBytes)))
      expect.code(await submitText(target, jsonLead(target).padEnd(maxBodyBytes + 1)), 'payload_too_large')
    },
  }),
  ...casesOf(['2.13/details', '2.13/details.field', '4.1/400', '7/400'], [], {
    async 'open/names-every-invalid-field-by-its-dotted-path'(target) {
      const response = await submitLead(target, fiveInvalid)
      expect.refused(response, 400)
      expect.same('the fields that the details name', fieldsOf(response).sort(), Object.keys(fiveInvalid).sort())
    },
  }),
]

const terms = consent('terms', true)
const privacy = consent('privacy_policy', true)

const incompleteConsents = {
  'consents-without-terms': [privacy],
  'consents-with-terms-declined': [privacy, consent('terms', false)],
  'consents-without-privacy_policy': [terms],
  'consents-with-privacy_policy-declined': [terms, consent('privacy_policy', false)],
  'an-empty-list-of-consents': [],
  'consents-of-other-types-only': [consent('marketing', true)],
}

type SemanticReason = Extract<ErrorCode, 'consents_missing' | 'invalid_product'>

/** Expects a 422 or a rejection, depending on the target's interpretation of point 3. */
function refusesSemantically(changes: Changes, reason: SemanticReason): Run {
  return async target => {
    const response = await submitLead(target, changes)
    const interpretation = await target.interpretation('semantic_refusals')
    const isRejection = interpretation === 'rejected_200' || (interpretation === undefined && response.status === 200)
    if (!isRejection) return expect.refused(response, 422)
    expect.rejected(response, reason)
    expect.that(response, isAbsent(response.json.lead_id), 'no lead_id, because no lead was created')
  }
}

/** Expects a rejection, or an error with the reason as its code. */
function namesReason(changes: Changes, reason: SemanticReason): Run {
  return async target => {
    const response = await submitLead(target, changes)
    if (response.status === 200) expect.rejected(response, reason)
    else expect.code(response, reason)
  }
}

const submitInactive = (target: Target) => submitLead(target, { product_id: target.facts.inactive_product_id })

/** Semantic checks of consents, products and publishers (Spec 2.9, 4.1). */
const semantics: readonly ConformanceCase[] = [
  ...casesOf(['2.9/entries', '2.12/consents_missing', '4.1/422', '7/422', '8/required_accepted_consents'], [], {
    ...casesFrom(incompleteConsents, (name, entries) => [
      `2.9/refuses-${name}`,
      refusesSemantically({ 'consents.entries': entries }, 'consents_missing'),
    ]),
  }),
  ...casesOf(['2.9/entries', '2.9/entry.type', '2.9/entry.accepted', '2.9/entry.accepted_at'], [], {
    '2.9/accepts-other-consents-besides-the-required-ones': accepts({
      'consents.entries': [terms, privacy, consent('marketing', false), consent('profiling_by_partners', true)],
    }),
    '2.9/finds-the-required-consents-anywhere-in-the-list': accepts({
      'consents.entries': [consent('marketing', false), privacy, terms],
    }),
    async 'open/refuses-an-accepted-consent-without-a-time'(target) {
      const field = 'consents.entries.0.accepted_at'
      expect.fieldRefused(await submitLead(target, { [field]: null }), field)
    },
  }),
  ...casesOf(['2.1/product_id', '2.12/invalid_product', '4.1/422', '7/422'], [], {
    '4.1/refuses-an-unknown-product': refusesSemantically({ product_id: unknownId }, 'invalid_product'),
  }),
  ...casesOf(['2.12/invalid_product', 'open/semantic_refusals'], ['inactive_product'], {
    async '2.12/refuses-an-inactive-product'(target) {
      const response = await submitInactive(target)
      if (response.status === 422) expect.refused(response, 422)
      else expect.rejected(response, 'invalid_product')
    },
    'open/rejects-an-inactive-product-with-200': async target =>
      expect.rejected(await submitInactive(target), 'invalid_product'),
  }),
  ...casesOf(['open/error.publisher_mismatch', '2.1/publisher_id', '5/issued_by'], [], {
    'open/returns-publisher_mismatch-for-a-publisher_id-that-does-not-belong-to-the-key': async target =>
      expect.code(await submitLead(target, { publisher_id: unknownId }), 'publisher_mismatch'),
  }),
  ...casesOf(['open/error.consents_missing', 'open/semantic_refusals'], [], {
    'open/returns-consents_missing-for-missing-consents': namesReason({ 'consents.entries': [] }, 'consents_missing'),
  }),
  ...casesOf(['open/error.invalid_product', 'open/semantic_refusals'], [], {
    'open/returns-invalid_product-for-an-unknown-product': namesReason({ product_id: unknownId }, 'invalid_product'),
  }),
]

/** Problems of a lead in validation order, each with its changes. A response names the first. */
const problems: readonly (readonly [name: string, changes: (target: Target) => Changes])[] = [
  ['validation_error', () => ({ 'product_data.loan_amount': 1 })],
  ['publisher_mismatch', () => ({ publisher_id: unknownId })],
  ['invalid_product', () => ({ product_id: unknownId })],
  ['consents_missing', () => ({ 'consents.entries': [] })],
  ['blacklisted', target => ({ customer: testLeads(target, 'blacklisted')[0].customer })],
  ['fraud_suspected', target => ({ 'consents.metadata': testLeads(target, 'fraudSuspected')[0].consents.metadata })],
  ['age_restriction', () => ({ 'customer.personal_data.birthday': `${new Date().getUTCFullYear() - 3}-01-01` })],
  [
    'income_insufficient',
    target => ({ 'customer.profile': testLeads(target, 'incomeInsufficient')[0].customer.profile }),
  ],
  [
    'geographic_restriction',
    target => ({ 'customer.address': testLeads(target, 'geographicRestriction')[0].customer.address }),
  ],
]

/** The problem that a response names if a lead has two (open points, fixed choices). */
const order = problems.slice(1).flatMap(([next, nextChanges], place) => {
  const [problem = '', changes] = problems[place] ?? []
  return casesOf(['4.1/rule-3'], ['account'], {
    async [`open/reports-${problem}-before-${next}`](target) {
      const response = await submitLead(target, { ...nextChanges(target), ...changes?.(target) })
      const seen = response.json?.rejection_reason ?? response.json?.error
      if (seen === undefined && response.status === 200)
        throw new Unclear('The lead was not refused: the criteria are different.')
      if (seen !== problem) throw new Mismatch(problem, `${response.status} ${seen}`)
    },
  })
})

/** Expects a lead without a field to be refused or accepted, consistently with the target's interpretation. */
function treatsConsistently(point: 'gender' | 'consent_metadata', path: string): Run {
  return async target => {
    const response = await submitLead(target, { [path]: undefined })
    if ((await knownInterpretation(target, point)) === 'required') expect.fieldRefused(response, path)
    else expect.lead(response)
  }
}

/** Expects fields that don't apply to be omitted or null, as in the target's other responses. */
function expectConsistentAbsence(response: TargetResponse, interpretation: 'omit' | 'null'): void {
  const [wrong, right] = interpretation === 'omit' ? [null, 'left out'] : [undefined, 'null']
  expect.lead(response)
  const odd = ['lead_id', 'redirect_url', 'rejection_reason'].filter(field => response.json[field] === wrong)
  expect.that(response, odd.length === 0, `${odd.join(' and ')} ${right}, as elsewhere`)
}

/** Consistency with the target's own interpretation of the open points. */
const consistency: readonly ConformanceCase[] = [
  ...casesOf(['open/gender', '2.3/gender'], [], {
    '2.3/treats-a-lead-without-gender-consistently': treatsConsistently('gender', 'customer.personal_data.gender'),
  }),
  ...casesOf(['open/consent_metadata', '2.9/metadata'], [], {
    '2.9/treats-a-lead-without-consent-metadata-consistently': treatsConsistently(
      'consent_metadata',
      'consents.metadata',
    ),
  }),
  ...casesOf(['open/absent_fields', '2.12/redirect_url', '2.12/rejection_reason', '2.12/lead_id'], [], {
    async 'open/omits-either-all-absent-fields-or-none'(target) {
      const interpretation = await knownInterpretation(target, 'absent_fields')
      const lead = target.submission()
      const others = target.testLeads ? (['new', 'geographicRestriction'] as const) : []
      for (const each of [lead, lead, ...others.map(name => testLeads(target, name)[0])])
        expectConsistentAbsence(await target.submit(each), interpretation)
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
