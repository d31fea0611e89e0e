import { type ConformanceCase, casesOf, Unclear } from '../case.ts'
import { expect, isAbsent } from '../expectations.ts'
import { sameCustomer, submitLead, testLeads, unknownId } from '../requests.ts'
import type { Target, TargetResponse } from '../target.ts'
import { byCriteria } from './rejections.ts'

/** Expects a lead to be created. Skips the case if an unrelated rule rejects it. */
function expectCreated(response: TargetResponse): void {
  expect.lead(response)
  const { status, rejection_reason } = response.json
  if (status === 'rejected' && rejection_reason !== 'customer_already_exists')
    throw new Unclear(`An ordinary lead was rejected as ${rejection_reason}: pass the criteria with --account.`)
  expect.that(response, status !== 'rejected', 'a lead that is new or distributed')
}

/** Submits leads concurrently, and expects all but one to be rejected for this reason. */
async function expectOneOf(target: Target, leads: readonly unknown[], reason: string): Promise<void> {
  const responses = await Promise.all(leads.map(lead => target.submit(lead)))
  for (const response of responses) expect.lead(response)
  const lost = responses.filter(({ json }) => json.rejection_reason === reason)
  expect.same(`the number of leads rejected as ${reason}`, lost.length, leads.length - 1)
}

/** Returns the changes that give two customers the same phone and identity document. */
function samePhoneAndDocument() {
  const number = String(Date.now())
  return { 'customer.contact.phone': { number }, 'customer.personal_data.identification_number': number }
}

/** Returns the ids of two active products. */
function twoProducts({ facts }: Target): [string, string] {
  const [first, second] = facts.account?.products.filter(({ active }) => active) ?? []
  if (!first || !second) throw new Unclear('The account has only one active product: activate a second one.')
  return [first.product_id, second.product_id]
}

/** The customer's identity (Spec 2.4, 2.12, 4.1 rule 2). */
const identity: readonly ConformanceCase[] = [
  ...casesOf(['2.12/customer_already_exists', '2.4/email.address', '4.1/rule-2', '2.12/lead_id'], [], {
    async '2.12/rejects-a-second-lead-with-the-same-email-and-product'(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const again = await target.submit(lead)
      expect.rejected(again, 'customer_already_exists')
      expect.that(again, isAbsent(again.json.lead_id), 'no lead_id, because no lead was created')
    },
  }),
  ...casesOf(['4.1/rule-2', '2.4/email.address', '2.12/customer_already_exists'], [], {
    async '4.1/identifies-the-customer-by-the-email-only'(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      const again = await submitLead(target, {
        ...sameCustomer(lead),
        'customer.personal_data.first_name': 'Eva',
        'customer.external_id': 'crm-7',
        'product_data.loan_purpose': 'education',
      })
      expect.rejected(again, 'customer_already_exists')
    },
    '4.1/creates-only-one-of-several-simultaneous-leads-of-a-customer': target =>
      expectOneOf(target, Array(8).fill(target.submission()), 'customer_already_exists'),
    async 'open/ignores-the-letter-case-of-an-email'(target) {
      const lead = target.submission()
      expectCreated(await target.submit(lead))
      expect.rejected(await submitLead(target, sameCustomer(lead, { inUppercase: true })), 'customer_already_exists')
      const other = target.submission()
      const again = target.submission(sameCustomer(other, { inUppercase: true }))
      await expectOneOf(target, [other, again], 'customer_already_exists')
    },
    async 'open/accepts-two-customers-with-the-same-phone-and-document'(target) {
      const same = samePhoneAndDocument()
      for (const lead of [target.submission(same), target.submission(same)]) expectCreated(await target.submit(lead))
    },
  }),
  ...casesOf(['4.1/400', '4.1/rule-2'], [], {
    async 'open/creates-no-customer-for-a-lead-refused-with-400'(target) {
      const lead = target.submission()
      expect.refused(await target.submit({ ...lead, product_data: {} }), 400)
      expectCreated(await target.submit(lead))
    },
  }),
  ...casesOf(['2.12/customer_already_exists', '3/new'], ['account'], {
    async '2.12/rejects-a-second-lead-of-a-customer-whose-first-is-new'(target) {
      const [lead] = testLeads(target, 'new')
      expect.lead(await target.submit(lead), 'new')
      expect.rejected(await target.submit(lead), 'customer_already_exists')
    },
  }),
  ...casesOf(['4.1/rule-2', '2.12/customer_already_exists'], ['account'], {
    async '4.1/accepts-the-same-email-for-two-products'(target) {
      const [product_id, other] = twoProducts(target)
      const lead = target.submission()
      expectCreated(await target.submit({ ...lead, product_id }))
      expect.notRejected(await target.submit({ ...lead, product_id: other }), 'customer_already_exists')
    },
  }),
]

/** Rejections that store the lead. Not `blacklisted`, which may depend on the e-mail address. */
const starters = byCriteria.filter(({ name, keepsLead }) => keepsLead && name !== 'blacklisted')

/** The duplicate window (Spec 2.12; point 8). */
const duplicateWindow: readonly ConformanceCase[] = [
  ...starters.flatMap(({ name, reason }) =>
    casesOf(['2.12/duplicate_submission', 'open/duplicate_window'], ['account'], {
      async [`open/starts-the-duplicate-window-with-${reason}`](target) {
        // Throws if the account has no window.
        testLeads(target, 'duplicateSubmission')
        const lead = testLeads(target, name)[0]
        expect.rejected(await target.submit(lead), reason)
        for (const inUppercase of [false, true])
          expect.rejected(await submitLead(target, sameCustomer(lead, { inUppercase })), 'duplicate_submission')
      },
    }),
  ),
  ...casesOf(['2.12/duplicate_submission', 'open/duplicate_window'], ['account'], {
    'open/starts-the-duplicate-window-with-one-of-several-simultaneous-leads': target =>
      expectOneOf(target, Array(8).fill(testLeads(target, 'duplicateSubmission')[0]), 'duplicate_submission'),
    async 'open/has-a-duplicate-window-for-each-product'(target) {
      const [product_id, other] = twoProducts(target)
      const [lead, again] = testLeads(target, 'duplicateSubmission')
      for (const each of [product_id, other])
        expect.notRejected(await target.submit({ ...lead, product_id: each }), 'duplicate_submission')
      expect.rejected(await target.submit({ ...again, product_id: other }), 'duplicate_submission')
    },
    async 'open/starts-no-duplicate-window-for-the-same-phone-and-document'(target) {
      const same = samePhoneAndDocument()
      const { address } = testLeads(target, 'geographicRestriction')[0].customer
      expect.rejected(await submitLead(target, { ...same, 'customer.address': address }), 'geographic_restriction')
      expect.notRejected(await submitLead(target, same), 'duplicate_submission')
    },
  }),
  ...casesOf(['2.12/duplicate_submission', 'open/duplicate_window'], [], {
    async 'open/starts-no-duplicate-window-with-a-lead-refused-with-422'(target) {
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
        if (refused.status === 200) expect.lead(refused, 'rejected')
        else expect.refused(refused, 422)
      }
      expect.notRejected(await target.submit(lead), 'duplicate_submission')
    },
  }),
  ...casesOf(['2.12/customer_already_exists', 'open/duplicate_window'], ['account'], {
    async 'open/rejects-a-customer-who-has-a-lead-as-existing-not-as-a-duplicate'(target) {
      const { address } = testLeads(target, 'geographicRestriction')[0].customer
      const lead = target.submission()
      expect.lead(await target.submit(lead), 'distributed')
      const again = { ...lead, customer: { ...lead.customer, address } }
      expect.rejected(await target.submit(again), 'customer_already_exists')
    },
  }),
]

/** Customers: identity, and returning customers (Spec 2.4, 2.12, 4.1). */
export const customerCases: readonly ConformanceCase[] = [...identity, ...duplicateWindow]
