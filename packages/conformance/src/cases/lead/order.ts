import type { ConformanceCase } from '../../conformance-case.ts'
import { expectFieldRefused, expectLead, expectOf, expectRejected } from '../../expectations.ts'
import type { Point } from '../../interpretations/finding.ts'
import { Mismatch, Unclear } from '../../mismatch.ts'
import type { Changes, Target } from '../../target.ts'
import { leadsOf } from './rejections.ts'

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * What speaks against a lead, in the order in which it is looked at, each with the changes that make it so. Of two that
 * come together the first is answered.
 */
const checks: readonly (readonly [answer: string, changes: (target: Target) => Changes])[] = [
  ['validation_error', () => ({ 'product_data.loan_amount': 1 })],
  ['publisher_mismatch', () => ({ publisher_id: nobody })],
  ['invalid_product', () => ({ product_id: nobody })],
  ['consents_missing', () => ({ 'consents.entries': [] })],
  ['blacklisted', target => ({ customer: leadsOf(target, 'blacklisted')[0]?.customer })],
  ['fraud_suspected', target => metadataOf(target)],
  ['age_restriction', () => ({ 'customer.personal_data.birthday': `${new Date().getUTCFullYear() - 3}-01-01` })],
  [
    'income_insufficient',
    target => ({ 'customer.profile': leadsOf(target, 'incomeInsufficient')[0]?.customer.profile }),
  ],
  [
    'geographic_restriction',
    target => ({ 'customer.address': leadsOf(target, 'geographicRestriction')[0]?.customer.address }),
  ],
]

function metadataOf(target: Target): Changes {
  const [lead] = leadsOf(target, 'fraudSuspected')
  return { 'consents.metadata': lead?.consents.metadata }
}

/** Which of several things against a lead is answered (open points, fixed choices). */
export const orderCases: readonly ConformanceCase[] = checks.slice(0, -1).map(([answer, changes], place) => {
  const [next = '', nextChanges] = checks[place + 1] ?? []
  return {
    id: `open/${answer}-before-${next}`,
    title: `answers ${answer} where ${next} speaks against the lead too`,
    statements: ['4.1/rule-3'],
    needs: ['account'],
    weight: 'interpretation',
    async run(target) {
      const response = await target.submit(target.submission({ ...nextChanges?.(target), ...changes(target) }))
      const seen = response.json?.rejection_reason ?? response.json?.error
      if (seen === undefined && response.status === 200)
        throw new Unclear('The lead was not refused: its criteria differ.')
      if (seen !== answer) throw new Mismatch(answer, `${response.status} ${seen}`)
    },
  }
})

/** How the target reads a point; where that was not found out the case has no occasion. */
async function interpretationOf<P extends Point>(target: Target, point: P) {
  const { interpretation, known_by } = await target.finding(point)
  if (interpretation === undefined) throw new Unclear(known_by)
  return interpretation
}

/** The fields that only one interpretation requires. */
const optionalByReading = [
  ['gender', 'customer.personal_data.gender', '2.3/gender'],
  ['consent_metadata', 'consents.metadata', '2.9/metadata'],
] as const

const requiredCases: readonly ConformanceCase[] = optionalByReading.map(([point, path, statement]) => ({
  id: `${statement}-as-it-is-read`,
  title: `takes or refuses each lead without ${path}, as it reads that point`,
  statements: [`open/${point}`, statement],
  async run(target) {
    const response = await target.submit(target.submission({ [path]: undefined }))
    if ((await interpretationOf(target, point)) === 'required') expectFieldRefused(response, path)
    else expectLead(response)
  },
}))

/** The fields of a response that may not apply. */
const responseFields = ['lead_id', 'redirect_url', 'rejection_reason'] as const

/** What a target does, held to how it reads the open points. */
export const openPointCases: readonly ConformanceCase[] = [
  ...requiredCases,
  {
    id: 'open/absent-fields-are-written-alike',
    title: 'leaves out every field that does not apply, or sends null for every one',
    statements: ['open/absent_fields', '2.12/redirect_url', '2.12/rejection_reason', '2.12/lead_id'],
    weight: 'interpretation',
    async run(target) {
      const interpretation = await interpretationOf(target, 'absent_fields')
      const lead = target.submission()
      const leads = [
        lead,
        lead,
        ...(target.testLeads ? [leadsOf(target, 'new')[0], leadsOf(target, 'geographicRestriction')[0]] : []),
      ]
      for (const each of leads) {
        const response = await target.submit(each)
        expectLead(response)
        const odd = responseFields.filter(
          field => response.json[field] === (interpretation === 'null' ? undefined : null),
        )
        expectOf(response, odd.length === 0, `${odd.join(' and ')} written as in other responses: ${interpretation}`)
      }
    },
  },
  {
    id: 'open/customers-come-before-duplicates',
    title: 'calls a returning customer with a lead a customer, and not a duplicate',
    statements: ['2.12/customer_already_exists', 'open/duplicate_window'],
    needs: ['account'],
    weight: 'interpretation',
    async run(target) {
      const [abroad] = leadsOf(target, 'geographicRestriction')
      const lead = target.submission()
      expectLead(await target.submit(lead), 'distributed')
      const again = { ...lead, customer: { ...lead.customer, address: abroad?.customer.address } }
      expectRejected(await target.submit(again), 'customer_already_exists')
    },
  },
]
