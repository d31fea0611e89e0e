import { durationMs } from '@lead-distribution/contract'
import type { Fault } from './entries.ts'

/** Names for one and for several of the requests that a fault acts on. */
const targets: Readonly<Record<Fault['match']['operation'], readonly [string, string]>> = {
  submitLead: ['submission', 'submissions'],
  reportEvent: ['pixel', 'pixels'],
  reportStatus: ['status update', 'status updates'],
  callback: ['callback attempt', 'callback attempts'],
}

/** Returns true if a fault never acts again, or never at all. */
export function isUsedUp(fault: Fault): boolean {
  const { times = Number.POSITIVE_INFINITY, acted } = fault
  return acted >= times || hasNoEffect(fault)
}

/** Returns true for a fault that never acts: by chance, or because its effect has the value 0. */
function hasNoEffect({ probability, effect }: Fault): boolean {
  // The frame of the page reads it, too, and has to stay if an effect is unreadable.
  const [value] = Object.entries(effect ?? {}).flatMap(([name, given]) => (name === 'retry_after' ? [] : [given]))
  return probability === 0 || value === 0 || (typeof value === 'string' && durationMs(value) === 0)
}

/** Returns the number of matching requests that a fault lets through before it acts. */
export function requestsBefore({ after = 0, matched }: Fault): number {
  return Math.max(0, after - matched)
}

/** Describes when a fault acts next. `faults` are all of the tenant's, in matching order. */
export function nextActOf(fault: Fault, faults: readonly Fault[]): string {
  if (isUsedUp(fault)) return fault.acted > 0 ? 'Used up.' : 'Never acts.'
  const blocking = blockedBy(fault, faults)
  if (blocking)
    return blocking.times === undefined
      ? `Doesn't act while ${blocking.fault_id} is set, which comes first.`
      : `Acts once ${blocking.fault_id} is used up, which comes first.`
  const [one, several] = targets[fault.match.operation]
  const { scenario } = fault.match
  const of = scenario === undefined ? '' : ` with the scenario ${scenario}`
  const before = requestsBefore(fault)
  const when =
    before === 0 ? `Acts on the next ${one}${of}` : `Acts after ${before} more ${before === 1 ? one : several}${of}`
  const { probability = 1 } = fault
  // Without the rounding error of the product.
  const percent = Number((probability * 100).toPrecision(12))
  return probability < 1 ? `${when}, with a chance of ${percent}%.` : `${when}.`
}

/** Returns the earlier fault that acts on every request on which this one would act. */
export function blockedBy(fault: Fault, faults: readonly Fault[]): Fault | undefined {
  const { operation, scenario } = fault.match
  const earlier = faults.slice(
    0,
    faults.findIndex(({ fault_id }) => fault_id === fault.fault_id),
  )
  return earlier.find(
    other =>
      other.match.operation === operation &&
      (other.match.scenario === undefined || other.match.scenario.toLowerCase() === scenario?.toLowerCase()) &&
      (other.probability ?? 1) === 1 &&
      requestsBefore(other) === 0 &&
      !isUsedUp(other),
  )
}
