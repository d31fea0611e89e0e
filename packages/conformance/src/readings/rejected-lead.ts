import type { LeadSubmission } from '@lead-distribution/contract'
import { Unclear } from '../mismatch.ts'
import type { Target } from '../target.ts'

/** Makes a lead of a new customer. */
type MakeLead = () => LeadSubmission

/**
 * A lead that the target rejects and keeps, again and again for new customers: criteria are its own business, so that
 * some are tried.
 * @throws {Unclear} where it keeps none.
 */
export async function findRejectedLead(target: Target): Promise<MakeLead> {
  for (const make of candidates(target)) {
    const { json } = await target.submit(make())
    if (json?.status === 'rejected' && typeof json.lead_id === 'string') return make
  }
  throw new Unclear(
    'No lead is rejected with a lead_id: neither an address in Antarctica, a birthday of today, nor an income of nothing. --account tells the criteria.',
  )
}

function candidates(target: Target): MakeLead[] {
  const { testLeads } = target
  const changes = [
    { 'customer.address.country': 'AQ' },
    { 'customer.personal_data.birthday': new Date().toISOString().slice(0, 10) },
    { 'customer.profile': { occupation: 'other', monthly_income: 0 } },
  ]
  const ofAccount = testLeads
    ? [
        testLeads.geographicRestriction,
        testLeads.ageRestricted,
        testLeads.incomeInsufficient,
        testLeads.eligibilityFailed,
      ]
    : []
  return [...changes.map(each => () => target.submission(each)), ...ofAccount.filter(canBeMade)]
}

/** A test lead is not to be had where the account has no such criterion. */
function canBeMade(make: MakeLead): boolean {
  try {
    make()
    return true
  } catch {
    return false
  }
}
