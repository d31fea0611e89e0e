import type { Reply } from '../connection/session.ts'
import { table } from '../printing/table.ts'

type Fault = Reply<'addFault'>

/** Faults as a table. */
export function faultTable(faults: readonly Fault[]): string {
  if (faults.length === 0) return 'No faults.'
  const rows = faults.map(fault => [
    fault.fault_id,
    fault.match.operation,
    Object.entries(fault.effect).map(named).join(' '),
    when(fault),
    fault.matched,
    fault.acted,
  ])
  return table(['fault', 'on', 'effect', 'when', 'matched', 'acted'], rows)
}

function when({ match, times, after, probability }: Fault): string {
  return Object.entries({ scenario: match.scenario, times, after, probability })
    .filter(([, value]) => value !== undefined)
    .map(named)
    .join(' ')
}

function named([name, value]: [string, unknown]): string {
  return value === true ? name : `${name}=${value}`
}
