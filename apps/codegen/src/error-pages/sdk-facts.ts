import { fakeWords, scenarioWords } from '@lead-distribution/publisher-sdk/testing'
import { scenarioAddress } from '@lead-distribution/test-leads'
import { markdownTable } from '../output.ts'
import { type Cause, calls, type ObservedCall, observeCall } from './observe-calls.ts'

/** What a call may meet, with the name that the pages have for it. */
const causes: readonly (readonly [name: string, cause: Cause])[] = [
  ['options that make no client', 'wrong options'],
  ['a wrong lead, status or event', 'wrong input'],
  ['a signal aborted before the call', 'aborted before'],
  ['a signal aborted during the call', 'aborted meanwhile'],
  // What a lead comes to is a result of the call.
  ...fakeWords.filter(isFault).map(word => [`\`${word}\``, word] as const),
  ...[301, 302, 403, 410, 501].map(status => [`a \`${status}\``, new Response(null, { status })] as const),
]

function isFault(word: (typeof fakeWords)[number]): boolean {
  return /^http_|^(rate_limited|refused|reset|timeout|lost_reply|malformed)$/.test(word)
}

let observed: Promise<(readonly [string, ObservedCall])[]> | undefined

async function observeAll() {
  const ends: (readonly [string, ObservedCall])[] = []
  // One after the other: the replies of the fake service are set for all of its calls.
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
  const [fake, scenario] = [after(fakeWords), after(scenarioWords)]
  const submitted = scenario && ends.some(([name, { call }]) => name === `\`${scenario}\`` && call === 'submit')
  if (!fake) return undefined
  const inSandbox = submitted
    ? ` In a sandbox: a lead with the e-mail address \`${scenarioAddress(scenario, '<anything>')}\`.`
    : ''
  return `In a unit test: \`createFakeService().always('${fake}')\`, of \`./testing\` of either SDK.${inSandbox}`
}
