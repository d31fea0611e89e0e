import type { ConformanceCase } from '../../conformance-case.ts'
import { expectLead, expectOf, expectRefusal, expectRejected, expectSame, isAbsent } from '../../expectations.ts'
import { Unclear } from '../../mismatch.ts'
import type { Target, TargetResponse } from '../../target.ts'
import { leadsOf } from './rejections.ts'

const addressPath = 'customer.contact.email.address'
const addressOf = (lead: ReturnType<Target['submission']>) => lead.customer.contact.email.address

/** Sees that a lead was created, and not refused by a rule that the case is not about. */
function expectCreated(response: TargetResponse): void {
  expectLead(response)
  const { status, rejection_reason } = response.json
  if (status === 'rejected' && rejection_reason !== 'customer_already_exists')
    throw new Unclear(`An ordinary lead was rejected as ${rejection_reason}: give the criteria by --account.`)
  expectOf(response, status !== 'rejected', 'a lead that is new or distributed')
}

/** Which submissions count as one customer (Spec 2.4, 4.1 rule 2). */
export const identityCases: readonly ConformanceCase[] = [
  {
    id: '2.12/customer_already_exists',
    title: 'rejects a second lead of one e-mail address for one product, and creates none',
    statements: ['2.12/customer_already_exists', '2.4/email.address', '4.1/rule-2', '2.12/lead_id'],
    async run(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const again = await target.submit(lead)
      expectRejected(again, 'customer_already_exists')
      expectOf(again, isAbsent(again.json.lead_id), 'no lead_id, for no lead was created')
    },
  },
  {
    id: '4.1/goes-by-the-address-only',
    title: 'takes a second lead of one e-mail address for the same customer, whatever else it says',
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
    title: 'creates exactly one lead of several that one customer submits at once',
    statements: ['4.1/rule-2', '2.12/customer_already_exists'],
    async run(target) {
      const lead = target.submission()
      const responses = await Promise.all(Array.from({ length: 8 }, () => target.submit(lead)))
      for (const response of responses) expectLead(response)
      const lost = responses.filter(({ json }) => json.rejection_reason === 'customer_already_exists')
      expectSame('the number of leads that were created', responses.length - lost.length, 1)
    },
  },
  {
    id: 'open/letter-case-makes-no-customer',
    title: 'takes an e-mail address in other letter case for the same customer, also at once',
    statements: ['4.1/rule-2', '2.4/email.address'],
    weight: 'interpretation',
    async run(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const again = target.submission({ [addressPath]: addressOf(lead).toUpperCase() })
      expectRejected(await target.submit(again), 'customer_already_exists')
      const atOnce = target.submission()
      const loud = target.submission({ [addressPath]: addressOf(atOnce).toUpperCase() })
      const responses = await Promise.all([atOnce, loud].map(each => target.submit(each)))
      const lost = responses.filter(({ json }) => json?.rejection_reason === 'customer_already_exists')
      expectSame('the number of leads that two at once leave uncreated', lost.length, 1)
    },
  },
  {
    id: 'open/phone-and-document-make-no-customer',
    title: 'takes one phone and one document under two e-mail addresses for two customers',
    statements: ['2.4/email.address'],
    weight: 'interpretation',
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
    title: 'leaves an e-mail address free whose lead was refused with 400',
    statements: ['4.1/400', '4.1/rule-2'],
    weight: 'interpretation',
    async run(target) {
      const lead = target.submission()
      expectRefusal(await target.submit({ ...lead, product_data: {} }), 400)
      expectCreated(await target.submit(lead))
    },
  },
  {
    id: '4.1/each-product-has-its-customers',
    title: 'takes one e-mail address for two products',
    statements: ['4.1/rule-2', '2.12/customer_already_exists'],
    needs: ['account'],
    async run(target) {
      const [first, second] = target.facts.account?.products.filter(({ active }) => active) ?? []
      if (!first || !second) throw new Unclear('The account has one active product: switch a second one on.')
      const lead = target.submission()
      expectCreated(await target.submit({ ...lead, product_id: first.product_id }))
      const other = await target.submit({ ...lead, product_id: second.product_id })
      expectLead(other)
      expectOf(other, other.json.rejection_reason !== 'customer_already_exists', 'a separate customer')
    },
  },
]
