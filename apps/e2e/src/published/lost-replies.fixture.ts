import type { Ending } from './programs/faults.ts'
import { refusedStream } from './service.fixture.ts'

/** The outcomes of calls without a fault. */
const fine = ['new', 'reported', 'received']
const times = (count: number) => (count === 2 ? 'twice' : `${count} times`)

function cellOf({ fault, outcome, attempts, reached }: Ending): string {
  if (fault === refusedStream && reached === 0 && fine.includes(outcome)) return 'speaks HTTP/1.1'
  const [code, ...more] = outcome.split(', ')
  const sent = reached > 1 ? [`sent ${times(reached)}${reached > attempts ? ` (${attempts} counted)` : ''}`] : []
  return [`\`${code}\``, ...more, ...sent].join(', ')
}

/** Returns the page's table: a row for each call and fault, a column for each group of runtimes that agree. */
export function lostReplies(runtimes: readonly (readonly [name: string, endings: readonly Ending[]])[]): string {
  const columns = [...Map.groupBy(runtimes, ([, endings]) => JSON.stringify(endings)).values()]
  const heads = ['call', 'fault', ...columns.map(same => same.map(([name]) => name).join(', '))]
  const rows = (runtimes[0]?.[1] ?? []).map(({ call, fault }, index) => [
    `\`${call}\``,
    fault,
    ...columns.map(([same]) => cellOf(same?.[1][index] as Ending)),
  ])
  const byCall = ['submit', 'reportStatus', 'fire'].flatMap(call => rows.filter(([first]) => first === `\`${call}\``))
  return [heads, heads.map(() => '---'), ...byCall].map(cells => `| ${cells.join(' | ')} |\n`).join('')
}
