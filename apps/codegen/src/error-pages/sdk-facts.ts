import { scenarioAddress, scenarioWords } from '@lead-distribution/test-leads'
import { markdownTable } from '../output.ts'
import { type Cause, calls, type ObservedCall, observeCall } from './observe-calls.ts'

/** The effects of faults that a call may meet, with the name that the pages have for each. */
const effects = {
  ...Object.fromEntries(
    [400, 401, 404, 405, 422, 500, 502, 503, 504].map(status => [`http_${status}`, { status }] as const),
  ),
  rate_limited: { status: 429, retry_after: 1 },
  reset: { reset: true },
  timeout: { timeout: true },
  lost_reply: { lost_reply: true },
  malformed: { malformed: true },
} as const

/** What a call may meet, with the name that the pages have for it. */
const causes: readonly (readonly [name: string, cause: Cause])[] = [
  ['options that make no client', { caller: 'wrong options' }],
  ['a wrong lead, status or event', { caller: 'wrong input' }],
  ['a signal aborted before the call', { caller: 'aborted before' }],
  ['a signal aborted during the call', { caller: 'aborted meanwhile' }],
  ['a refused connection', { caller: 'refused' }],
  // What a lead comes to is a result of the call.
  ...Object.entries(effects).map(([word, effect]) => [`\`${word}\``, { effect } as Cause] as const),
  ...[301, 302, 403, 410, 501].map(
    status => [`a \`${status}\``, { response: () => new Response(null, { status }) }] as const,
  ),
]

let observed: Promise<(readonly [string, ObservedCall])[]> | undefined

async function observeAll() {
  const ends: (readonly [string, ObservedCall])[] = []
  for (const [name, cause] of causes) for (const call of calls) ends.push([name, await observeCall(call, cause)])
  return ends
}

/** What ends with an error of the SDKs, and what the error then says. */
export async function sdkFacts(code: string): Promise<string> {
  observed ??= observeAll()
  const ends = (await observed).filter(([, { error }]) => error?.code === code)
  if (ends.length === 0) throw new Error(`No call that is observed ends with ${code}: add a cause that does.`)
  const rows = Map.groupBy(ends, ([, { call, error, requests }]) =>
    [`\`${call}\``, `\`${error?.sent}\``, error?.retryable ? 'yes' : 'no', String(requests)].join('|'),
  )
  const table = markdownTable(
    ['call', '`sent`', '`retryable`', 'requests', 'after'],
    [...rows].map(([facts, group]) => [...facts.split('|'), group.map(([name]) => name).join(', ')]),
  )
  return [`Class: \`${ends[0]?.[1].error?.name}\`. How each call comes to it, with two retries:`, table, forcing(ends)]
    .filter(part => part !== undefined)
    .join('\n\n')
}

/** How to force the replies that lead to the error. */
function forcing(ends: readonly (readonly [string, ObservedCall])[]): string | undefined {
  const after = <Word extends string>(words: readonly Word[]) =>
    words.find(word => ends.some(([name]) => name === `\`${word}\``))
  const [fault, scenario] = [after(Object.keys(effects)), after(scenarioWords)]
  if (!fault) return undefined
  const submitted = scenario && ends.some(([name, { call }]) => name === `\`${scenario}\`` && call === 'submit')
  const effect = JSON.stringify(effects[fault as keyof typeof effects])
    .replace(/"(\w+)":/g, ' $1: ')
    .replace('}', ' }')
  const byAddress = submitted
    ? `, or submit a lead with the e-mail address \`${scenarioAddress(scenario, '<anything>')}\``
    : ''
  return `In a sandbox, also in process: \`faults.add({ match: { operation: 'submitLead' }, effect: ${effect} })\`${byAddress}.`
}
