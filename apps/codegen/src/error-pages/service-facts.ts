import { type ErrorCode, errorStatus, type rejectionReasons, wireError } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { forcedRefusal, scenarioAddress, scenarioWords, testLeadCatalogue } from '@lead-distribution/test-leads'
import { markdownTable } from '../output.ts'
import { calls, observeCall, operationOf } from './observe-calls.ts'

/** Which operations reply with an error code of the service, how to get it, and what the SDKs make of it. */
export async function serviceFacts(code: ErrorCode): Promise<string> {
  const status = errorStatus[code]
  const affected = calls.filter(call => {
    const { errors } = operations[operationOf[call]]
    return (errors as readonly ErrorCode[]).includes(code)
  })
  const repliedTo = affected.map(call => {
    const { methods, path } = operations[operationOf[call]]
    return `\`${methods.join('` or `')} ${path.replace(/:(\w+)/, '{$1}')}\``
  })
  const facts = [
    `HTTP status: \`${status}\`.`,
    `Replied to: ${repliedTo.length > 0 ? repliedTo.join(', ') : 'any path, where its method is none of those that it takes'}.`,
    ...forcing(code, status, operationOf[affected[0] ?? 'submit']),
    ...testLeads(({ reaches }) => 'error' in reaches && reaches.error === code),
  ]
  const details = status === 400 ? [{ field: 'body', issue: 'is wrong' }] : undefined
  const { body } = wireError(code, 'A message.', details)
  const rows: string[][] = []
  for (const call of affected.length > 0 ? affected : calls) {
    const { error, result, requests } = await observeCall(call, { response: () => Response.json(body, { status }) })
    const ended = error
      ? `throws \`${error.name}\``
      : `returns \`${result?.outcome}\`${result?.via ? `, \`via: '${result.via}'\`` : ''}`
    const { sent = 'yes', retryable = false } = error ?? {}
    rows.push([`\`${call}\``, ended, `\`${sent}\``, retryable ? 'yes' : 'no', String(requests)])
  }
  return `${bullets(facts)}\n\n${markdownTable(['call', 'comes to', '`sent`', '`retryable`', 'requests'], rows)}`
}

/** How a rejection reason is replied, how to get it, and what the publisher SDK makes of it. */
export async function rejectionFacts(reason: (typeof rejectionReasons)[number]): Promise<string> {
  const { result } = await observeCall('submit', { scenario: reason })
  if (result?.outcome !== 'rejected') throw new Error(`A submission that is refused by ${reason} is not rejected.`)
  const asError = testLeadCatalogue.filter(({ reaches }) => 'error' in reaches && reaches.error === reason)
  const facts = [
    `Reply: \`200\`, \`status: rejected\`, \`rejection_reason: ${reason}\`.`,
    ...asError.map(
      ({ reaches }) => `Or, by default, a \`${reaches.http}\`: see [the error code](../service/${reason}.md).`,
    ),
    `\`lead_id\`: ${result.lead_id === null ? 'none, no lead is created.' : 'yes, the lead is stored.'}`,
    `Publisher SDK: \`submit\` returns \`outcome: 'rejected'\` with this \`rejection_reason\`. It throws nothing and repeats nothing.`,
    `Force it: \`lead-sandbox submit --scenario ${reason}\`, the header \`x-sandbox-scenario: ${reason}\`, or the e-mail address \`${scenarioAddress(reason, '<anything>')}\`.`,
    ...testLeads(({ reaches }) => 'rejection_reason' in reaches && reaches.rejection_reason === reason),
  ]
  return bullets(facts)
}

/** How to force an error code, where a scenario or a fault has just this one. */
function forcing(code: ErrorCode, status: number, operation: string): string[] {
  if (forcedRefusal(status).body.error !== code) return []
  const scenario = scenarioWords.find(word => word === `http_${status}`)
  const submit = scenario ? `\`lead-sandbox submit --scenario ${scenario}\`, or ` : ''
  return [`Force it: ${submit}\`lead-sandbox faults add ${operation} --status ${status}\` for the next calls.`]
}

/** The test leads that reach something by their data alone. */
function testLeads(reaches: (entry: (typeof testLeadCatalogue)[number]) => boolean): string[] {
  return testLeadCatalogue.filter(reaches).map(({ name, settings = {}, because, criteria }) => {
    const under = Object.entries(settings).map(([key, value]) => ` under \`${key}=${value}\``)
    const published = criteria === undefined ? '' : ` The account publishes it: \`${criteria}\`.`
    return `By data: \`tenant.testLeads.${name}()\`${under.join('')}. ${because}${published}`
  })
}

function bullets(lines: readonly string[]): string {
  return lines.map(line => `- ${line}`).join('\n')
}
