import type { LeadSubmission } from '@lead-distribution/contract'
import { describeResponse } from '../expectations.ts'
import { Unclear } from '../mismatch.ts'
import type { Target } from '../target.ts'
import { probeOf } from './probe.ts'

/** No more customers than so are spent on it, and they come back no closer together than so. */
const mostReturns = 24
const leastStepMs = 250

/**
 * Point 8 (Spec 2.12, 8): for how long does a customer come back too soon? Every customer comes back once, because
 * coming back may itself be what the target counts from.
 */
export const duplicateWindow = probeOf('duplicate_window', [], async target => {
  const makeLead = await findRejectedLead(target)

  /** Has a new customer rejected, then submits the same one with nothing to reject; and how long that was after, at least and at most. */
  const comeBack = async (afterMs: number) => {
    const lead = makeLead()
    const sent = performance.now()
    await target.submit(lead)
    const rejected = performance.now()
    await pause(rejected + afterMs - performance.now())
    const leastMs = performance.now() - rejected
    const response = await target.submit(
      target.submission({ 'customer.contact.email.address': lead.customer.contact.email.address }),
    )
    const outcome = response.json?.rejection_reason ?? response.json?.status
    if (!['duplicate_submission', 'new', 'distributed'].includes(outcome))
      throw new Unclear(`A customer who was rejected comes back, and is answered ${describeResponse(response)}.`)
    return { isTooSoon: outcome === 'duplicate_submission', leastMs, maxDelayMs: performance.now() - sent }
  }

  const atOnce = await comeBack(0)
  if (!atOnce.isTooSoon) return ['PT0S', 'A customer who was rejected comes back at once, and it is not too soon.']
  const count = Math.max(1, Math.min(mostReturns, Math.floor(target.patienceMs / leastStepMs)))
  const later = Array.from({ length: count }, (_, place) => comeBack(((place + 1) * target.patienceMs) / count))
  const returns = [atOnce, ...(await Promise.all(later))]

  const within = Math.max(...returns.filter(each => each.isTooSoon).map(each => each.leastMs))
  const over = Math.min(...returns.filter(each => !each.isTooSoon).map(each => each.maxDelayMs))
  if (over === Number.POSITIVE_INFINITY)
    return [atLeast(within), `After ${secondsText(within)} it is too soon still: --patience looks longer.`]
  const whole = Math.floor(over / 1000) * 1000
  const isTheOne = whole >= within && whole - 1000 < within
  return [
    isTheOne ? durationText(whole) : `${durationText(within)}..${durationText(over)}`,
    `A customer who was rejected comes back too soon after ${secondsText(within)}, and no longer after ${secondsText(over)}.`,
  ]
})

/** Makes a lead of a new customer. */
type MakeLead = () => LeadSubmission

/**
 * A lead that the target rejects and keeps, again and again for new customers: criteria are its own business, so that
 * some are tried.
 * @throws {Unclear} where it keeps none.
 */
async function findRejectedLead(target: Target): Promise<MakeLead> {
  for (const make of candidates(target)) {
    const { json } = await target.submit(make())
    if (json?.status === 'rejected' && typeof json.lead_id === 'string') return make
  }
  throw new Unclear(
    'No lead is rejected with a lead_id: neither an address in Antarctica, a birthday of today, nor an income of nothing. --account has the criteria.',
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

/** A span of time as an ISO 8601 duration, to the tenth of a second: `PT0.3S`. */
export function durationText(ms: number): string {
  return `PT${tenths(ms)}S`
}

/** A span of time in a sentence: `0.3 s`. */
export function secondsText(ms: number): string {
  return `${tenths(ms)} s`
}

/** A span of time that was not over when we stopped looking. */
export function atLeast(ms: number): string {
  return `>= ${durationText(ms)}`
}

/** A wait as it was seen, taken for the half second that it is nearest to: the way here takes a while too. */
export function nearestDuration(ms: number): string {
  return durationText(ms < 250 ? ms : Math.round(ms / 500) * 500)
}

function tenths(ms: number): number {
  return Math.round(ms / 100) / 10
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))
}
