import type { LeadSubmission } from '@lead-distribution/contract'
import { Unclear } from '../case.ts'
import { describeResponse } from '../expectations.ts'
import { sameCustomer, submitLead, testLeads } from '../requests.ts'
import type { Target } from '../target.ts'
import { atLeast, durationText, pause, probeWith, secondsText } from './probe.ts'

/** The maximum number of customers that the probe uses, and the minimum time between their returns. */
const maxReturns = 24
const minStepMs = 250

/**
 * Point 8 (Spec 2.12, 8): the length of the window. Each customer returns only once, because a return may restart the
 * window.
 */
export const duplicateWindow = probeWith<'duplicate_window'>([], async target => {
  const makeLead = await findRejectedLead(target)

  /**
   * Gets a new customer rejected, then submits an acceptable lead for the same customer. Measures the time in between.
   */
  const comeBack = async (afterMs: number) => {
    const lead = makeLead()
    const sent = performance.now()
    await target.submit(lead)
    const rejected = performance.now()
    await pause(rejected + afterMs - performance.now())
    const minDelayMs = performance.now() - rejected
    const response = await submitLead(target, sameCustomer(lead))
    const outcome = response.json?.rejection_reason ?? response.json?.status
    if (!['duplicate_submission', 'new', 'distributed'].includes(outcome))
      throw new Unclear(`The response to a returning rejected customer is ${describeResponse(response)}.`)
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
    `A rejected customer is a duplicate after ${secondsText(within)}, but not after ${secondsText(over)}.`,
  ]
})

/** Creates a lead for a new customer. */
type MakeLead = () => LeadSubmission

/**
 * Finds a lead that the target rejects and stores. Tries likely ones first, because the criteria may be unknown.
 * @throws {Unclear} if the target stores none.
 */
async function findRejectedLead(target: Target): Promise<MakeLead> {
  const guesses: MakeLead[] = [
    () => target.submission({ 'customer.address.country': 'AQ' }),
    () => target.submission({ 'customer.personal_data.birthday': new Date().toISOString().slice(0, 10) }),
    () => target.submission({ 'customer.profile': { occupation: 'other', monthly_income: 0 } }),
  ]
  const names = ['geographicRestriction', 'ageRestricted', 'incomeInsufficient', 'eligibilityFailed'] as const
  for (const make of [...guesses, ...names.map(name => () => testLeads(target, name)[0])])
    try {
      const { json } = await target.submit(make())
      if (json?.status === 'rejected' && typeof json.lead_id === 'string') return make
    } catch (error) {
      // The criteria can't cause this rejection, or are unknown.
      if (!(error instanceof Unclear)) throw error
    }
  throw new Unclear(
    'No lead was rejected with a lead_id (tried an address in Antarctica, a birthday today and no income). Pass --account with the criteria.',
  )
}
