import type { LeadSubmission } from '@lead-distribution/contract'
import { Unclear } from '../case.ts'
import { describeResponse } from '../expectations.ts'
import type { Target } from '../target.ts'
import { atLeast, durationText, type Found, type Probe, pause, secondsText } from './probe.ts'

/** The maximum number of customers to spend on the probe, and the minimum time between their returns. */
const maxReturns = 24
const minStepMs = 250

/** Point 8 (Spec 2.12, 8): how long is the window? Customers return once: a return may restart it. */
async function findWindow(target: Target): Promise<Found<'duplicate_window'>> {
  const makeLead = await findRejectedLead(target)

  /** Gets a new customer rejected, then submits an acceptable lead for the same one. Measures the time in between. */
  const comeBack = async (afterMs: number) => {
    const lead = makeLead()
    const sent = performance.now()
    await target.submit(lead)
    const rejected = performance.now()
    await pause(rejected + afterMs - performance.now())
    const minDelayMs = performance.now() - rejected
    const response = await target.submit(
      target.submission({ 'customer.contact.email.address': lead.customer.contact.email.address }),
    )
    const outcome = response.json?.rejection_reason ?? response.json?.status
    if (!['duplicate_submission', 'new', 'distributed'].includes(outcome))
      throw new Unclear(`When a rejected customer returns, the response is ${describeResponse(response)}.`)
    return { isTooSoon: outcome === 'duplicate_submission', minDelayMs, maxDelayMs: performance.now() - sent }
  }

  const atOnce = await comeBack(0)
  if (!atOnce.isTooSoon) return ['PT0S', 'A rejected customer who returns immediately is not a duplicate.']
  const count = Math.max(1, Math.min(maxReturns, Math.floor(target.patienceMs / minStepMs)))
  const later = Array.from({ length: count }, (_, place) => comeBack(((place + 1) * target.patienceMs) / count))
  const returns = [atOnce, ...(await Promise.all(later))]

  const within = Math.max(...returns.filter(each => each.isTooSoon).map(each => each.minDelayMs))
  const over = Math.min(...returns.filter(each => !each.isTooSoon).map(each => each.maxDelayMs))
  if (over === Number.POSITIVE_INFINITY)
    return [
      atLeast(within),
      `A rejected customer is still a duplicate after ${secondsText(within)}; use --patience to wait longer.`,
    ]
  const whole = Math.floor(over / 1000) * 1000
  const isTheOne = whole >= within && whole - 1000 < within
  return [
    isTheOne ? durationText(whole) : `${durationText(within)}..${durationText(over)}`,
    `A rejected customer is a duplicate after ${secondsText(within)}, and no longer after ${secondsText(over)}.`,
  ]
}

export const duplicateWindow: Probe<'duplicate_window'> = { needs: [], find: findWindow }

/** Makes a lead for a new customer. */
type MakeLead = () => LeadSubmission

/**
 * Finds a lead that the target rejects and stores. The criteria are unknown, so several are tried.
 * @throws {Unclear} if the target stores none.
 */
async function findRejectedLead(target: Target): Promise<MakeLead> {
  for (const make of candidates(target)) {
    const { json } = await target.submit(make())
    if (json?.status === 'rejected' && typeof json.lead_id === 'string') return make
  }
  throw new Unclear(
    'Could not provoke a rejection with a lead_id (tried an address in Antarctica, a birthday today and no income). Pass --account with the criteria.',
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

/** Returns false for a test lead whose criterion the account doesn't have. */
function canBeMade(make: MakeLead): boolean {
  try {
    make()
    return true
  } catch {
    return false
  }
}
