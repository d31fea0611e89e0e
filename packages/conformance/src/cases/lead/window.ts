import type { RejectionReason } from '@lead-distribution/contract'
import type { TestLeadEntry } from '@lead-distribution/test-leads'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectLead, expectOf, expectRefusal, expectRejected, expectSame } from '../../expectations.ts'
import { Unclear } from '../../mismatch.ts'
import type { Changes, TargetResponse } from '../../target.ts'
import { leadsOf } from './rejections.ts'

const nobody = '00000000-0000-0000-0000-000000000000'

/** The rejections that keep their lead, each with the test lead that comes to it. A blacklist may go by the address. */
const starters: readonly (readonly [reason: RejectionReason, name: TestLeadEntry['name']])[] = [
  ['age_restriction', 'ageRestricted'],
  ['income_insufficient', 'incomeInsufficient'],
  ['geographic_restriction', 'geographicRestriction'],
  ['eligibility_failed', 'eligibilityFailed'],
  ['fraud_suspected', 'fraudSuspected'],
]

const about = {
  statements: ['2.12/duplicate_submission', 'open/duplicate_window'],
  needs: ['account'],
  weight: 'interpretation',
} as const

/** Sees that a lead was judged, and that nobody was found to come back too soon. */
function expectNoDuplicate(response: TargetResponse): void {
  expectLead(response)
  expectOf(response, response.json.rejection_reason !== 'duplicate_submission', 'no duplicate_submission')
}

/** Which customers come back too soon, and which do not (Spec 2.12; point 8). */
export const windowCases: readonly ConformanceCase[] = [
  ...starters.map(
    ([reason, name]): ConformanceCase => ({
      ...about,
      id: `open/${reason}-starts-the-window`,
      title: `finds that a customer rejected as ${reason} comes back too soon, in any letter case of the address`,
      async run(target) {
        // Where there is no window this test lead is not to be had, and says so.
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
    title: 'rejects one of several at once for what it is, and calls the others duplicates of it',
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
    title: 'finds that a customer comes back too soon to a product, and not to another one',
    async run(target) {
      const [first, second] = target.facts.account?.products.filter(({ active }) => active) ?? []
      if (!first || !second) throw new Unclear('The account has one active product: switch a second one on.')
      const [lead, again] = leadsOf(target, 'duplicateSubmission')
      for (const { product_id } of [first, second]) expectNoDuplicate(await target.submit({ ...lead, product_id }))
      const { product_id } = second
      expectRejected(await target.submit({ ...again, product_id }), 'duplicate_submission')
    },
  },
  {
    ...about,
    id: 'open/phone-and-document-start-no-window',
    title: 'recognizes no customer by phone or document who was rejected under another e-mail address',
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
    title: 'takes back a customer whose lead was refused with 422, and has no window for that',
    statements: ['2.12/duplicate_submission', 'open/duplicate_window'],
    weight: 'interpretation',
    async run(target) {
      const lead = target.submission()
      const { inactive_product_id } = target.facts
      const wrong = [
        { consents: { ...lead.consents, entries: [] } },
        { product_id: nobody },
        { publisher_id: nobody },
        ...(inactive_product_id ? [{ product_id: inactive_product_id }] : []),
      ]
      for (const each of wrong) {
        const refused = await target.submit({ ...lead, ...each })
        if (refused.status === 200) expectLead(refused, 'rejected')
        else expectRefusal(refused, 422)
      }
      expectNoDuplicate(await target.submit(lead))
    },
  },
]
