import type { ConformanceCase } from '../../conformance-case.ts'
import { expectFieldRefused } from '../../expectations/expect-error.ts'
import { expectLead, expectRejected } from '../../expectations/expect-lead.ts'
import { expectOf } from '../../expectations/expect-reply.ts'
import { Unclear } from '../../mismatch.ts'
import type { Point } from '../../readings/finding.ts'
import type { Target } from '../../target.ts'
import { leadsOf } from './leads-of.ts'

/** How the target reads a point; where that was not found out the case has no occasion. */
async function readingOf<P extends Point>(target: Target, point: P) {
  const { reading, known_by } = await target.finding(point)
  if (reading === undefined) throw new Unclear(known_by)
  return reading
}

/** The fields that are required under one reading alone. */
const optionalByReading = [
  ['gender', 'customer.personal_data.gender', '2.3/gender'],
  ['consent_metadata', 'consents.metadata', '2.9/metadata'],
] as const

const requiredCases: readonly ConformanceCase[] = optionalByReading.map(([point, path, statement]) => ({
  id: `${statement}-as-it-is-read`,
  title: `takes or refuses each lead without ${path}, as it reads that point`,
  statements: [`open/${point}`, statement],
  async run(target) {
    const reply = await target.submit(target.submission({ [path]: undefined }))
    if ((await readingOf(target, point)) === 'required') expectFieldRefused(reply, path)
    else expectLead(reply)
  },
}))

/** The fields of a reply that may not apply. */
const replyFields = ['lead_id', 'redirect_url', 'rejection_reason'] as const

/** What a target does, held to how it reads the open points. */
export const openReadingCases: readonly ConformanceCase[] = [
  ...requiredCases,
  {
    id: 'open/absent-fields-are-written-alike',
    title: 'leaves out every field that does not apply, or sends null for every one',
    statements: ['open/absent_fields', '2.12/redirect_url', '2.12/rejection_reason', '2.12/lead_id'],
    weight: 'reading',
    async run(target) {
      const reading = await readingOf(target, 'absent_fields')
      const lead = target.submission()
      const leads = [
        lead,
        lead,
        ...(target.testLeads ? [leadsOf(target, 'new')[0], leadsOf(target, 'geographicRestriction')[0]] : []),
      ]
      for (const each of leads) {
        const reply = await target.submit(each)
        expectLead(reply)
        const odd = replyFields.filter(field => reply.json[field] === (reading === 'null' ? undefined : null))
        expectOf(reply, odd.length === 0, `${odd.join(' and ')} written as in other replies: ${reading}`)
      }
    },
  },
  {
    id: 'open/customers-come-before-duplicates',
    title: 'calls whoever has a lead a customer, and not a duplicate',
    statements: ['2.12/customer_already_exists', 'open/duplicate_window'],
    needs: ['account'],
    weight: 'reading',
    async run(target) {
      const [abroad] = leadsOf(target, 'geographicRestriction')
      const lead = target.submission()
      expectLead(await target.submit(lead), 'distributed')
      const again = { ...lead, customer: { ...lead.customer, address: abroad?.customer.address } }
      expectRejected(await target.submit(again), 'customer_already_exists')
    },
  },
]
