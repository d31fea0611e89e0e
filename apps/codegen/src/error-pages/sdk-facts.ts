import { forgeCallbacks } from '@lead-distribution/contract/forged-callbacks'
import { scenarioAddress, scenarioWords } from '@lead-distribution/contract/test-leads'
import { CallbackRefusedError, createCallbackUrl, verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestSigningSecret } from '@lead-distribution/publisher-sdk/testing'
import { markdownTable } from '../output.ts'
import { type Cause, calls, type ObservedCall, observeCall } from './observe-calls.ts'

/** The effects of faults on a call, with their descriptions on the pages. */
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

const causes: readonly (readonly [name: string, cause: Cause])[] = [
  ['invalid options', { caller: 'wrong options' }],
  ['an invalid lead, status or event', { caller: 'wrong input' }],
  ['a signal aborted before the call', { caller: 'aborted before' }],
  ['a signal aborted during the call', { caller: 'aborted meanwhile' }],
  ['a refused connection', { caller: 'refused' }],
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

/** Describes an SDK error: its causes, and the error's properties for each. */
export async function sdkFacts(code: string): Promise<string> {
  observed ??= observeAll()
  const ends = (await observed).filter(([, { error }]) => error?.code === code)
  if (ends.length === 0) throw new Error(`No observed call ends with ${code}: add a cause that does.`)
  const rows = Map.groupBy(ends, ([, { call, error, requests }]) =>
    [`\`${call}\``, `\`${error?.sent}\``, error?.retryable ? 'yes' : 'no', String(requests)].join('|'),
  )
  const table = markdownTable(
    ['call', '`sent`', '`retryable`', 'requests', 'causes'],
    [...rows].map(([facts, group]) => [...facts.split('|'), group.map(([name]) => name).join(', ')]),
  )
  return [`Class: \`${ends[0]?.[1].error?.name}\`. Its causes, with two retries:`, table, forcing(ends)]
    .filter(part => part !== undefined)
    .join('\n\n')
}

/** Describes how to force the error in a sandbox. */
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
  return `Force it in a sandbox, also in process: \`faults.add({ match: { operation: 'submitLead' }, effect: ${effect} })\`${byAddress}.`
}

/** Describes how callbacks are refused: the flaw, the status and the reason of each refusal. */
export async function refusalFacts(): Promise<string> {
  const { url, secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks')
  const secret = createTestSigningSecret()
  const event = { url, urlSecret, secret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
  const verify = { urlSecrets: [urlSecret], signature: { secrets: [secret] } }
  const rows: string[][] = []
  for (const [flaw, request] of Object.entries(await forgeCallbacks(event))) {
    const error = await verifyCallback(request, { verify }).then(
      () => undefined,
      thrown => thrown,
    )
    if (!CallbackRefusedError.is(error)) throw new Error(`The callback with ${flaw} is not refused.`)
    rows.push([`\`${flaw}\``, `\`${error.status}\``, error.reason])
  }
  return [
    'Class: `CallbackRefusedError`, thrown by `verifyCallback`. `createCallbackReceiver` responds with the status and calls `onRefusal`.',
    markdownTable(['flaw', 'status', '`reason`'], rows),
    '`lead-sandbox certify publisher` sends your application callbacks with these flaws, and reports those that it accepts.',
  ].join('\n\n')
}
