import type { LeadSubmission, RejectionReason } from '@lead-distribution/contract'
import {
  type PublishedProduct,
  requestsOf,
  type TestLeadEntry,
  type TestRequest,
  testLeadCatalogue,
} from '@lead-distribution/test-leads'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectLead, expectOf, expectRefusal, expectRejected, isAbsent } from '../../expectations.ts'
import { Unclear } from '../../mismatch.ts'
import type { StatementId } from '../../statements/index.ts'
import type { Changes, Target, TargetResponse } from '../../target.ts'

/** Submits a test lead of the catalogue; answers the last response, which has the outcome. */
async function replyTo(target: Target, name: TestLeadEntry['name']): Promise<TargetResponse> {
  const requests = requestsFor(target, name)
  let response: TargetResponse | undefined
  for (const { headers, body } of requests) response = await target.submit(body, { headers })
  if (!response) throw new Unclear('There is no such test lead.')
  return response
}

/** The reasons for which a lead is rejected after it was created, and kept. */
const keepsLead = ['age_restriction', 'income_insufficient', 'geographic_restriction', 'eligibility_failed'].concat(
  'fraud_suspected',
  'blacklisted',
)

/** A rejection for every reason that criteria lead to; those of consents and products are semantic refusals. */
const byCriteria = testLeadCatalogue.flatMap(({ name, reaches, settings }) =>
  'rejection_reason' in reaches && !settings ? [{ name, reason: reaches.rejection_reason }] : [],
)

/** Rejections by what the account publishes (Spec 2.12). */
export const rejectionCases: readonly ConformanceCase[] = [
  ...byCriteria
    .filter(({ reason }) => reason !== 'customer_already_exists' && reason !== 'invalid_product')
    .flatMap(({ name, reason }): ConformanceCase[] => [
      {
        id: `2.12/${reason}`,
        title: `rejects a lead as ${reason} with 200`,
        statements: [
          `2.12/${reason}` as StatementId,
          '3/rejected',
          '2.12/rejection_reason',
          '7/business_rejections',
          '4.1/200',
        ],
        needs: ['account'],
        async run(target) {
          expectRejected(await replyTo(target, name), reason)
        },
      },
      {
        id: `open/${reason}-${keepsLead.includes(reason) ? 'keeps-its-lead' : 'creates-no-lead'}`,
        title: keepsLead.includes(reason)
          ? `gives the lead that it rejects as ${reason} an id`
          : `gives no id to what it rejects as ${reason}`,
        statements: ['2.12/lead_id', `2.12/${reason}` as StatementId],
        needs: ['account'],
        weight: 'interpretation',
        async run(target) {
          const response = await replyTo(target, name)
          expectRejected(response, reason)
          const isKept = keepsLead.includes(reason)
          expectOf(response, isAbsent(response.json.lead_id) !== isKept, isKept ? 'a lead_id' : 'no lead_id')
        },
      },
    ]),
  {
    id: '7/internal_error',
    title: 'answers its own failure with 500 in the shape of an error, and no details',
    statements: ['4.1/500', '7/500', 'open/error.internal_error'],
    needs: ['account'],
    async run(target) {
      const response = await replyTo(target, 'internalError')
      if (response.status === 200)
        throw new Unclear('The target applies no scenarios, so that it cannot be made to fail.')
      expectRefusal(response, 500)
    },
  },
]

/**
 * The requests that lead to an outcome by the account's published criteria, in their order.
 * @throws {Unclear} where the criteria cannot give the outcome; it says what to change in them.
 */
function requestsFor(target: Target, name: TestLeadEntry['name']): readonly TestRequest[] {
  try {
    if (!target.testLeads) throw new Error('The criteria that leads are judged by are not known: give --account.')
    return requestsOf(target.testLeads[name]())
  } catch (error) {
    throw new Unclear(error instanceof Error ? error.message : String(error))
  }
}

/**
 * The leads that lead to an outcome by the account's published criteria, in their order.
 * @throws {Unclear} where the criteria cannot give the outcome; it says what to change in them.
 */
export function leadsOf(target: Target, name: TestLeadEntry['name']): readonly LeadSubmission[] {
  return requestsFor(target, name).map(({ body }) => JSON.parse(body))
}

type Criteria = PublishedProduct['criteria']

function criteriaOf({ facts }: Target): Criteria {
  const { criteria } = facts.account?.products.find(({ active }) => active) ?? {}
  if (criteria) return criteria
  throw new Unclear('The criteria that leads are judged by are not known: give --account.')
}

const employed = (monthly_income: number) => ({ occupation: 'indefinite_employee', monthly_income })

/** The birthday of a person of this age and half a year more: no clock is that wrong. */
function bornYearsAgo(years: number): string {
  const day = new Date()
  day.setUTCFullYear(day.getUTCFullYear() - years, day.getUTCMonth() - 6)
  return day.toISOString().slice(0, 10)
}

/** A lead just inside of a criterion, and one just outside: the changes that lead there, by the criteria. */
const thresholds: readonly {
  readonly reason: RejectionReason
  readonly limit: string
  inside(criteria: Criteria): readonly Changes[]
  outside(criteria: Criteria): readonly Changes[]
}[] = [
  {
    reason: 'age_restriction',
    limit: 'the youngest and the oldest age',
    inside: ({ min_age, max_age }) =>
      [min_age, max_age].map(age => ({ 'customer.personal_data.birthday': bornYearsAgo(age) })),
    outside: ({ min_age, max_age }) =>
      [min_age - 1, max_age + 1]
        .filter(age => age > 0)
        .map(age => ({ 'customer.personal_data.birthday': bornYearsAgo(age) })),
  },
  {
    reason: 'income_insufficient',
    limit: 'the least income',
    inside: ({ minimum_monthly_income: least }) => [{ 'customer.profile': employed(least) }],
    outside: ({ minimum_monthly_income: least }) => (least > 0 ? [{ 'customer.profile': employed(least - 1) }] : []),
  },
  {
    reason: 'geographic_restriction',
    limit: 'the countries',
    inside: ({ countries }) => countries.map(country => ({ 'customer.address': { country } })),
    outside: ({ countries }) =>
      ['PT', 'FR', 'DE']
        .filter(country => !countries.includes(country))
        .map(country => ({ 'customer.address': { country } })),
  },
  {
    reason: 'eligibility_failed',
    limit: 'the occupations',
    inside: ({ minimum_monthly_income: least }) => [{ 'customer.profile': employed(Math.max(least, 5000)) }],
    outside: ({ minimum_monthly_income, occupations_excluded }) =>
      occupations_excluded.map(occupation => ({
        'customer.profile': { occupation, monthly_income: Math.max(minimum_monthly_income, 5000) },
      })),
  },
]

/** The criteria that an account publishes, on both sides of each (Spec 2.12). */
export const thresholdCases: readonly ConformanceCase[] = thresholds.map(({ reason, limit, inside, outside }) => ({
  id: `2.12/${reason}-at-its-threshold`,
  title: `rejects as ${reason} what is outside of ${limit}, and nothing inside`,
  statements: [`2.12/${reason}` as '2.12/age_restriction'],
  needs: ['account'],
  async run(target) {
    const criteria = criteriaOf(target)
    for (const changes of inside(criteria)) {
      const response = await target.submit(target.submission(changes))
      expectLead(response)
      expectOf(response, response.json.rejection_reason !== reason, `no ${reason} of ${JSON.stringify(changes)}`)
    }
    const others = outside(criteria)
    if (others.length === 0) throw new Unclear(`Nobody is outside of ${limit} by the product's criteria: narrow them.`)
    for (const changes of others) expectRejected(await target.submit(target.submission(changes)), reason)
  },
}))
