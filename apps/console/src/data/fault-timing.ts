import type { Fault } from './entries.ts'

/** Names for one and for several of the requests that a fault acts on. */
const targets: Readonly<Record<Fault['match']['operation'], readonly [string, string]>> = {
  submitLead: ['submission', 'submissions'],
  reportEvent: ['pixel', 'pixels'],
  reportStatus: ['status update', 'status updates'],
  callback: ['callback attempt', 'callback attempts'],
}

/** Describes when a fault acts next. `faults` are all of the tenant's. */
export function nextActOf(fault: Fault, faults: readonly Fault[]): string {
  const { state, acted, blocked_by, lets_through, match, probability = 1 } = fault
  if (state === 'used_up') return acted > 0 ? 'Used up.' : 'Never acts.'
  if (state === 'blocked')
    return faults.find(({ fault_id }) => fault_id === blocked_by)?.times === undefined
      ? `Doesn't act while ${blocked_by} is set, which comes first.`
      : `Acts once ${blocked_by} is used up, which comes first.`
  const [one, several] = targets[match.operation]
  const of = match.scenario === undefined ? '' : ` with the scenario ${match.scenario}`
  const when =
    lets_through === 0
      ? `Acts on the next ${one}${of}`
      : `Acts after ${lets_through} more ${lets_through === 1 ? one : several}${of}`
  // Without the rounding error of the product.
  const percent = Number((probability * 100).toPrecision(12))
  return probability < 1 ? `${when}, with a chance of ${percent}%.` : `${when}.`
}
