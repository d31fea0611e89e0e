import type { ConformanceCase } from '../../conformance-case.ts'
import { Mismatch, Unclear } from '../../mismatch.ts'
import type { Changes, Target } from '../../target.ts'
import { leadsOf } from './leads-of.ts'

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
    weight: 'reading',
    async run(target) {
      const reply = await target.submit(target.submission({ ...nextChanges?.(target), ...changes(target) }))
      const seen = reply.json?.rejection_reason ?? reply.json?.error
      if (seen === undefined && reply.status === 200)
        throw new Unclear('The lead was not refused: its criteria differ.')
      if (seen !== answer) throw new Mismatch(answer, `${reply.status} ${seen}`)
    },
  }
})
