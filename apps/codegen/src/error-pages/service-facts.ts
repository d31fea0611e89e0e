import { type rejectionReasons, statusOfCode, wireError } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { forcedError, scenarioAddress, scenarioWords, testLeadCatalog } from '@lead-distribution/contract/test-leads'
import { markdownTable } from '../output.ts'
import { calls, observeCall, operationOf } from './observe-calls.ts'

type Code = keyof typeof statusOfCode

/** Describes an error code of the service: its operations, how to force it, and the result of each SDK call. */
export async function serviceFacts(code: Code): Promise<string> {
  const status = statusOfCode[code]
  const affected = calls.filter(call => {
    const { errors } = operations[operationOf[call]]
    return (errors as readonly Code[]).includes(code)
  })
  const endpoints = affected.map(call => {
    const { methods, path } = operations[operationOf[call]]
    return `\`${methods.join('` or `')} ${path.replace(/:(\w+)/, '{$1}')}\``
  })
  const facts = [
    `HTTP status: \`${status}\`.`,
    `Endpoints: ${endpoints.length > 0 ? endpoints.join(', ') : elsewhere(code)}.`,
    ...forcing(code, status, operationOf[affected[0] ?? 'submit']),
    ...testLeads(({ reaches }) => 'error' in reaches && reaches.error === code),
  ]
  const details = status === 400 ? [{ field: 'body', issue: 'is invalid' }] : undefined
  const { body } = wireError(code, 'A message.', details)
  const rows: string[][] = []
  for (const call of affected.length > 0 ? affected : calls) {
    const { error, result, requests } = await observeCall(call, { response: () => Response.json(body, { status }) })
    const ended = result
      ? `returns \`${result.outcome}\`${result.via ? `, \`via: '${result.via}'\`` : ''}`
      : `throws \`${error?.name}\``
    const { sent = 'yes', retryable = false } = error ?? {}
    rows.push([`\`${call}\``, ended, `\`${sent}\``, retryable ? 'yes' : 'no', String(requests)])
  }
  return `${bullets(facts)}\n\n${markdownTable(['call', 'result', '`sent`', '`retryable`', 'requests'], rows)}`
}

/** The endpoints of errors that no operation declares. */
function elsewhere(code: Code): string {
  if (code === 'method_not_allowed') return 'any path, for a method that it does not support'
  return code === 'precondition_failed' ? 'the OpenAPI documents of a sandbox' : 'any'
}

/** Describes a rejection reason: its response, how to force it, and the publisher SDK's result. */
export async function rejectionFacts(reason: (typeof rejectionReasons)[number]): Promise<string> {
  const { result } = await observeCall('submit', { scenario: reason })
  if (result?.outcome !== 'rejected') throw new Error(`A submission with the scenario ${reason} was not rejected.`)
  const asError = testLeadCatalog.filter(({ reaches }) => 'error' in reaches && reaches.error === reason)
  const facts = [
    `Response: \`200\`, \`status: rejected\`, \`rejection_reason: ${reason}\`.`,
    ...asError.map(
      ({ reaches }) => `Or, by default, a \`${reaches.http}\`: see [the error code](../service/${reason}.md).`,
    ),
    `\`lead_id\`: ${result.lead_id === null ? 'absent; the service stores no lead.' : 'present; the service stores the lead.'}`,
    `Publisher SDK: \`submit\` returns \`outcome: 'rejected'\` with this \`rejection_reason\`. It does not throw or retry.`,
    `Force it: \`lead-sandbox submit --scenario ${reason}\`, the header \`x-sandbox-scenario: ${reason}\`, or the e-mail address \`${scenarioAddress(reason, '<anything>')}\`.`,
    ...testLeads(({ reaches }) => 'rejection_reason' in reaches && reaches.rejection_reason === reason),
  ]
  return bullets(facts)
}

/** Describes how to force an error code, if a scenario or a fault produces exactly this one. */
function forcing(code: Code, status: number, operation: string): string[] {
  if (forcedError(status).body.error !== code) return []
  const scenario = scenarioWords.find(word => word === `http_${status}`)
  const submit = scenario ? `\`lead-sandbox submit --scenario ${scenario}\`, or ` : ''
  return [`Force it: ${submit}\`lead-sandbox faults add ${operation} --status ${status}\` for the next requests.`]
}

/** Lists the test leads that get a result from their data alone. */
function testLeads(reaches: (entry: (typeof testLeadCatalog)[number]) => boolean): string[] {
  return testLeadCatalog.filter(reaches).map(({ name, settings = {}, because, criteria }) => {
    const under = Object.entries(settings).map(([key, value]) => ` under \`${key}=${value}\``)
    const published = criteria === undefined ? '' : ` The account publishes it: \`${criteria}\`.`
    return `By data: \`tenant.testLeads.${name}()\`${under.join('')}. ${because}${published}`
  })
}

function bullets(lines: readonly string[]): string {
  return lines.map(line => `- ${line}`).join('\n')
}
