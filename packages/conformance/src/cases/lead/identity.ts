import { type ConformanceCase, Unclear } from '../../conformance-case.ts'
import { expectLead, expectOf, expectRefusal, expectRejected, expectSame, isAbsent } from '../../expectations.ts'
import type { Changes, Target, TargetResponse } from '../../target.ts'
import { unknownId } from './full-lead.ts'
import { byCriteria, leadsOf } from './rejections.ts'

const addressPath = 'customer.contact.email.address'
const addressOf = (lead: ReturnType<Target['submission']>) => lead.customer.contact.email.address

/** Expects a lead to be created. Skips the case if an unrelated rule rejects it. */
function expectCreated(response: TargetResponse): void {
  expectLead(response)
  const { status, rejection_reason } = response.json
  if (status === 'rejected' && rejection_reason !== 'customer_already_exists')
    throw new Unclear(`An ordinary lead was rejected as ${rejection_reason}: pass the criteria with --account.`)
  expectOf(response, status !== 'rejected', 'a lead that is new or distributed')
}

/** The identity of a customer (Spec 2.4, 4.1 rule 2). */
export const identityCases: readonly ConformanceCase[] = [
  {
    id: '2.12/customer_already_exists',
    title: 'rejects a second lead with the same e-mail address and product, and creates none',
    statements: ['2.12/customer_already_exists', '2.4/email.address', '4.1/rule-2', '2.12/lead_id'],
    async run(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const again = await target.submit(lead)
      expectRejected(again, 'customer_already_exists')
      expectOf(again, isAbsent(again.json.lead_id), 'no lead_id, because no lead was created')
    },
  },
  {
    id: '4.1/goes-by-the-address-only',
    title: 'identifies the customer by the e-mail address, regardless of other fields',
    statements: ['4.1/rule-2', '2.4/email.address'],
    async run(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const other = target.submission({
        [addressPath]: addressOf(lead),
        'customer.personal_data.first_name': 'Eva',
        'customer.external_id': 'crm-7',
        'product_data.loan_purpose': 'education',
      })
      expectRejected(await target.submit(other), 'customer_already_exists')
    },
  },
  {
    id: '2.12/a-new-lead-has-its-customer',
    title: 'rejects a second lead of a customer whose first one is new',
    statements: ['2.12/customer_already_exists', '3/new'],
    needs: ['account'],
    async run(target) {
      const [lead] = leadsOf(target, 'new')
      expectLead(await target.submit(lead), 'new')
      expectRejected(await target.submit(lead), 'customer_already_exists')
    },
  },
  {
    id: '4.1/one-of-two-at-once-wins',
    title: 'creates exactly one of several simultaneous leads of the same customer',
    statements: ['4.1/rule-2', '2.12/customer_already_exists'],
    async run(target) {
      const lead = target.submission()
      const responses = await Promise.all(Array.from({ length: 8 }, () => target.submit(lead)))
      for (const response of responses) expectLead(response)
      const lost = responses.filter(({ json }) => json.rejection_reason === 'customer_already_exists')
      expectSame('the number of created leads', responses.length - lost.length, 1)
    },
  },
  {
    id: 'open/letter-case-makes-no-customer',
    title: 'ignores the letter case of the e-mail address, also for simultaneous leads',
    statements: ['4.1/rule-2', '2.4/email.address'],
    async run(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const again = target.submission({ [addressPath]: addressOf(lead).toUpperCase() })
      expectRejected(await target.submit(again), 'customer_already_exists')
      const atOnce = target.submission()
      const loud = target.submission({ [addressPath]: addressOf(atOnce).toUpperCase() })
      const responses = await Promise.all([atOnce, loud].map(each => target.submit(each)))
      const lost = responses.filter(({ json }) => json?.rejection_reason === 'customer_already_exists')
      expectSame('the number of rejected leads out of two simultaneous ones', lost.length, 1)
    },
  },
  {
    id: 'open/phone-and-document-make-no-customer',
    title: 'allows two customers with the same phone and document',
    statements: ['2.4/email.address'],
    async run(target) {
      const same = {
        'customer.contact.phone': { number: String(Date.now()) },
        'customer.personal_data.identification_number': String(Date.now()),
      }
      for (const lead of [target.submission(same), target.submission(same)]) expectCreated(await target.submit(lead))
    },
  },
  {
    id: 'open/a-refused-body-has-no-customer',
    title: 'leaves the e-mail address unused after a lead was refused with 400',
    statements: ['4.1/400', '4.1/rule-2'],
    async run(target) {
      const lead = target.submission()
      expectRefusal(await target.submit({ ...lead, product_data: {} }), 400)
      expectCreated(await target.submit(lead))
    },
  },
  {
    id: '4.1/each-product-has-its-customers',
    title: 'accepts the same e-mail address for two products',
    statements: ['4.1/rule-2', '2.12/customer_already_exists'],
    needs: ['account'],
    async run(target) {
      const [first, second] = target.facts.account?.products.filter(({ active }) => active) ?? []
      if (!first || !second) throw new Unclear('The account has only one active product: activate a second one.')
      const lead = target.submission()
      expectCreated(await target.submit({ ...lead, product_id: first.product_id }))
      const other = await target.submit({ ...lead, product_id: second.product_id })
      expectLead(other)
      expectOf(other, other.json.rejection_reason !== 'customer_already_exists', 'a separate customer')
    },
  },
]

/** Rejections that store their lead. Not `blacklisted`, which may depend on the e-mail address. */
const starters = byCriteria.filter(({ name, keepsLead }) => keepsLead && name !== 'blacklisted')

const about = {
  statements: ['2.12/duplicate_submission', 'open/duplicate_window'],
  needs: ['account'],
} as const

/** Expects a lead that isn't a duplicate. */
function expectNoDuplicate(response: TargetResponse): void {
  expectLead(response)
  expectOf(response, response.json.rejection_reason !== 'duplicate_submission', 'no duplicate_submission')
}

/** The duplicate window (Spec 2.12; point 8). */
export const windowCases: readonly ConformanceCase[] = [
  ...starters.map(
    ({ name, reason }): ConformanceCase => ({
      ...about,
      id: `open/${reason}-starts-the-window`,
      title: `starts the duplicate window with a rejection as ${reason}, in any letter case of the address`,
      async run(target) {
        // Throws if the account has no window.
        leadsOf(target, 'duplicateSubmission')
        const [lead] = leadsOf(target, name)
        expectRejected(await target.submit(lead), reason)
        const address = lead?.customer.contact.email.address ?? ''
        for (const each of [address, address.toUpperCase()]) {
          const again = target.submission({ 'customer.contact.email.address': each })
          expectRejected(await target.submit(again), 'duplicate_submission')
        }
      },
    }),
  ),
  {
    ...about,
    id: 'open/one-of-several-at-once-starts-the-window',
    title: 'rejects one of several simultaneous leads for its own reason and the others as duplicates',
    async run(target) {
      const [lead] = leadsOf(target, 'duplicateSubmission')
      const responses = await Promise.all(Array.from({ length: 8 }, () => target.submit(lead)))
      for (const response of responses) expectLead(response, 'rejected')
      const duplicates = responses.filter(({ json }) => json.rejection_reason === 'duplicate_submission')
      expectSame('the number of duplicates', duplicates.length, responses.length - 1)
    },
  },
  {
    ...about,
    id: 'open/each-product-has-its-window',
    title: 'has a separate duplicate window for each product',
    async run(target) {
      const [first, second] = target.facts.account?.products.filter(({ active }) => active) ?? []
      if (!first || !second) throw new Unclear('The account has only one active product: activate a second one.')
      const [lead, again] = leadsOf(target, 'duplicateSubmission')
      for (const { product_id } of [first, second]) expectNoDuplicate(await target.submit({ ...lead, product_id }))
      const { product_id } = second
      expectRejected(await target.submit({ ...again, product_id }), 'duplicate_submission')
    },
  },
  {
    ...about,
    id: 'open/phone-and-document-start-no-window',
    title: 'recognizes a returning customer by the e-mail address only',
    async run(target) {
      const [abroad] = leadsOf(target, 'geographicRestriction')
      const same: Changes = {
        'customer.contact.phone': { number: String(Date.now()) },
        'customer.personal_data.identification_number': String(Date.now()),
      }
      const rejected = target.submission({ ...same, 'customer.address': abroad?.customer.address })
      expectRejected(await target.submit(rejected), 'geographic_restriction')
      expectNoDuplicate(await target.submit(target.submission(same)))
    },
  },
  {
    id: 'open/duplicates-carry-no-lead',
    title: 'starts no duplicate window with a lead refused with 422',
    statements: ['2.12/duplicate_submission', 'open/duplicate_window'],
    async run(target) {
      const lead = target.submission()
      const { inactive_product_id } = target.facts
      const invalid = [
        { consents: { ...lead.consents, entries: [] } },
        { product_id: unknownId },
        { publisher_id: unknownId },
        ...(inactive_product_id ? [{ product_id: inactive_product_id }] : []),
      ]
      for (const each of invalid) {
        const refused = await target.submit({ ...lead, ...each })
        if (refused.status === 200) expectLead(refused, 'rejected')
        else expectRefusal(refused, 422)
      }
      expectNoDuplicate(await target.submit(lead))
    },
  },
]
