import { type ConformanceCase, Mismatch, Unclear } from '../../conformance-case.ts'
import { expectFieldRefused, expectLead, expectOf, expectRejected } from '../../expectations.ts'
import { knownInterpretation } from '../../report-status.ts'
import type { Changes, Target } from '../../target.ts'
import { unknownId } from './full-lead.ts'
import { leadsOf } from './rejections.ts'

/** Problems of a lead in the order of checking, each with its changes. A response names the first. */
const checks: readonly (readonly [problem: string, changes: (target: Target) => Changes])[] = [
  ['validation_error', () => ({ 'product_data.loan_amount': 1 })],
  ['publisher_mismatch', () => ({ publisher_id: unknownId })],
  ['invalid_product', () => ({ product_id: unknownId })],
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

/** The problem that a response names if there are two (open points, fixed choices). */
export const orderCases: readonly ConformanceCase[] = checks.slice(0, -1).map(([problem, changes], place) => {
  const [next = '', nextChanges] = checks[place + 1] ?? []
  return {
    id: `open/${problem}-before-${next}`,
    title: `reports ${problem} before ${next}`,
    statements: ['4.1/rule-3'],
    needs: ['account'],
    async run(target) {
      const response = await target.submit(target.submission({ ...nextChanges?.(target), ...changes(target) }))
      const seen = response.json?.rejection_reason ?? response.json?.error
      if (seen === undefined && response.status === 200)
        throw new Unclear('The lead was not refused: the criteria are different.')
      if (seen !== problem) throw new Mismatch(problem, `${response.status} ${seen}`)
    },
  }
})

/** Fields that only one interpretation requires. */
const requiredByOne = [
  ['gender', 'customer.personal_data.gender', '2.3/gender'],
  ['consent_metadata', 'consents.metadata', '2.9/metadata'],
] as const

const requiredCases: readonly ConformanceCase[] = requiredByOne.map(([point, path, statement]) => ({
  id: `${statement}-as-it-is-read`,
  title: `handles a lead without ${path} consistently with its interpretation`,
  statements: [`open/${point}`, statement],
  async run(target) {
    const response = await target.submit(target.submission({ [path]: undefined }))
    if ((await knownInterpretation(target, point)) === 'required') expectFieldRefused(response, path)
    else expectLead(response)
  },
}))

/** Fields of a response that may not apply. */
const responseFields = ['lead_id', 'redirect_url', 'rejection_reason'] as const

/** Consistency with the target's own interpretation of open points. */
export const openPointCases: readonly ConformanceCase[] = [
  ...requiredCases,
  {
    id: 'open/absent-fields-are-written-alike',
    title: 'omits every field that does not apply, or sends null for all of them',
    statements: ['open/absent_fields', '2.12/redirect_url', '2.12/rejection_reason', '2.12/lead_id'],
    async run(target) {
      const interpretation = await knownInterpretation(target, 'absent_fields')
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
        expectOf(response, odd.length === 0, `${odd.join(' and ')} as in other responses: ${interpretation}`)
      }
    },
  },
  {
    id: 'open/customers-come-before-duplicates',
    title: 'rejects a returning customer who has a lead as existing, not as a duplicate',
    statements: ['2.12/customer_already_exists', 'open/duplicate_window'],
    needs: ['account'],
    async run(target) {
      const [abroad] = leadsOf(target, 'geographicRestriction')
      const lead = target.submission()
      expectLead(await target.submit(lead), 'distributed')
      const again = { ...lead, customer: { ...lead.customer, address: abroad?.customer.address } }
      expectRejected(await target.submit(again), 'customer_already_exists')
    },
  },
]
