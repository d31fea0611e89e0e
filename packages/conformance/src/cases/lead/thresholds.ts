import type { RejectionReason } from '@lead-distribution/contract'
import type { PublishedProduct } from '@lead-distribution/test-leads'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectLead, expectRejected } from '../../expectations/expect-lead.ts'
import { expectOf } from '../../expectations/expect-reply.ts'
import { Unclear } from '../../mismatch.ts'
import type { Changes, Target } from '../../target.ts'

type Criteria = PublishedProduct['criteria']

function criteriaOf({ facts }: Target): Criteria {
  const { criteria } = facts.account?.products.find(({ active }) => active) ?? {}
  if (criteria) return criteria
  throw new Unclear('The criteria that leads are judged by are not known: give --account.')
}

const employed = (monthly_income: number) => ({ occupation: 'indefinite_employee', monthly_income })

/** The birthday of somebody who is so many years old, and half a year more: no clock is that wrong. */
function bornYearsAgo(years: number): string {
  const day = new Date()
  day.setUTCFullYear(day.getUTCFullYear() - years, day.getUTCMonth() - 6)
  return day.toISOString().slice(0, 10)
}

/** Who is just inside of a criterion, and just outside: the changes that make a lead so, by the criteria. */
const thresholds: readonly {
  readonly reason: RejectionReason
  readonly words: string
  inside(criteria: Criteria): readonly Changes[]
  outside(criteria: Criteria): readonly Changes[]
}[] = [
  {
    reason: 'age_restriction',
    words: 'the youngest and the oldest age',
    inside: ({ min_age, max_age }) =>
      [min_age, max_age].map(age => ({ 'customer.personal_data.birthday': bornYearsAgo(age) })),
    outside: ({ min_age, max_age }) =>
      [min_age - 1, max_age + 1]
        .filter(age => age > 0)
        .map(age => ({ 'customer.personal_data.birthday': bornYearsAgo(age) })),
  },
  {
    reason: 'income_insufficient',
    words: 'the least income',
    inside: ({ minimum_monthly_income: least }) => [{ 'customer.profile': employed(least) }],
    outside: ({ minimum_monthly_income: least }) => (least > 0 ? [{ 'customer.profile': employed(least - 1) }] : []),
  },
  {
    reason: 'geographic_restriction',
    words: 'the countries',
    inside: ({ countries }) => countries.map(country => ({ 'customer.address': { country } })),
    outside: ({ countries }) =>
      ['PT', 'FR', 'DE']
        .filter(country => !countries.includes(country))
        .map(country => ({ 'customer.address': { country } })),
  },
  {
    reason: 'eligibility_failed',
    words: 'the occupations',
    inside: ({ minimum_monthly_income: least }) => [{ 'customer.profile': employed(Math.max(least, 5000)) }],
    outside: ({ minimum_monthly_income, occupations_excluded }) =>
      occupations_excluded.map(occupation => ({
        'customer.profile': { occupation, monthly_income: Math.max(minimum_monthly_income, 5000) },
      })),
  },
]

/** The criteria that an account publishes, on both sides of each (Spec 2.12). */
export const thresholdCases: readonly ConformanceCase[] = thresholds.map(({ reason, words, inside, outside }) => ({
  id: `2.12/${reason}-at-its-threshold`,
  title: `rejects as ${reason} what is outside of ${words}, and nothing inside`,
  statements: [`2.12/${reason}` as '2.12/age_restriction'],
  needs: ['account'],
  async run(target) {
    const criteria = criteriaOf(target)
    for (const changes of inside(criteria)) {
      const reply = await target.submit(target.submission(changes))
      expectLead(reply)
      expectOf(reply, reply.json.rejection_reason !== reason, `no ${reason} of ${JSON.stringify(changes)}`)
    }
    const others = outside(criteria)
    if (others.length === 0) throw new Unclear(`Nobody is outside of ${words} by the product's criteria: narrow them.`)
    for (const changes of others) expectRejected(await target.submit(target.submission(changes)), reason)
  },
}))
