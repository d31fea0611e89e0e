import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createLeadSandbox } from '@lead-distribution/msw'
import { createPublisher, LeadSdkError, type SubmitOptions } from '@lead-distribution/publisher-sdk'

/** The SDK calls, each with its service operation. */
export const operationOf = { submit: 'submitLead', reportStatus: 'reportStatus', fire: 'reportEvent' } as const
export type CallName = keyof typeof operationOf
export const calls = Object.keys(operationOf) as CallName[]

type Sandbox = Awaited<ReturnType<typeof createLeadSandbox>>
type Scenario = Parameters<Sandbox['testLeads']['scenario']>[0]
type Effect = Parameters<Sandbox['faults']['add']>[0]['effect']

/** The cause that ends a call: a fault in the sandbox, a response, a scenario, or the caller. */
export type Cause =
  | { readonly effect: Effect }
  | { readonly response: () => Response }
  | { readonly scenario: Scenario }
  | { readonly caller: 'wrong options' | 'wrong input' | 'aborted before' | 'aborted meanwhile' | 'refused' }

/** How an SDK call ended. */
export interface ObservedCall {
  readonly call: CallName
  /** The error that was thrown, or the error of the outcome `unknown`. */
  readonly error?: Pick<LeadSdkError, 'code' | 'name' | 'sent' | 'retryable'>
  /** The result; undefined if the call threw. */
  readonly result?: { outcome: string; lead_id?: string | null; via?: string }
  /** The number of requests sent, with the default number of retries. */
  readonly requests: number
}

let opened: Promise<Sandbox> | undefined

/**
 * Makes SDK calls to a sandbox and observes how they end. One call at a time, because they share the sandbox's faults.
 */
export async function observeCall(call: CallName, cause: Cause): Promise<ObservedCall> {
  opened ??= createLeadSandbox()
  const sandbox = await opened
  const caller = 'caller' in cause ? cause.caller : undefined
  const effect: Effect | undefined =
    'effect' in cause ? cause.effect : caller === 'aborted meanwhile' ? { timeout: true } : undefined
  const abort = new AbortController()
  if (caller === 'aborted before') abort.abort()
  const options: SubmitOptions = { signal: abort.signal }
  if (effect && 'timeout' in effect && caller === undefined) options.timeoutMs = 100
  const fetch: Sandbox['fetch'] = async (input, init) => {
    if (caller === 'refused') throw connectionRefused()
    if ('response' in cause) return cause.response()
    const responding = sandbox.fetch(input, init)
    if (caller === 'aborted meanwhile') abort.abort()
    const response = await responding
    // The calls need not wait for it.
    response.headers.delete('retry-after')
    return response
  }
  const made = await prepareCall(call, cause, sandbox, fetch)
  if (effect) await sandbox.faults.add({ match: { operation: operationOf[call] }, effect })
  const { random } = Math
  // Makes the pauses between retries as short as possible.
  Math.random = () => 0
  try {
    const result = await made(options)
    const requests = result.meta.attempts
    return result.outcome === 'unknown'
      ? { call, result, error: factsOf(result.error), requests }
      : { call, result, requests }
  } catch (error) {
    if (!LeadSdkError.is(error)) throw error
    return { call, error: factsOf(error), requests: error.meta?.attempts ?? 0 }
  } finally {
    Math.random = random
    await sandbox.faults.clear()
  }
}

const factsOf = ({ code, name, sent, retryable }: LeadSdkError) => ({ code, name, sent, retryable })

/** Prepares a call: creates its lead, and a client for the sandbox. */
async function prepareCall(call: CallName, cause: Cause, sandbox: Sandbox, fetch: Sandbox['fetch']) {
  const { account, testLeads } = sandbox
  const caller = 'caller' in cause ? cause.caller : undefined
  const shared = { baseUrl: caller === 'wrong options' ? 'no URL' : account.base_url, fetch }
  const publisherOptions = { ...shared, apiKey: account.publisher.api_key }
  if (call === 'submit') {
    const lead =
      'scenario' in cause
        ? testLeads.scenario(cause.scenario)
        : caller === 'wrong input'
          ? testLeads.validationError()
          : testLeads.distributed()
    return async (options: SubmitOptions) => createPublisher(publisherOptions).submit(lead, options)
  }
  const publisher = createPublisher({ ...publisherOptions, baseUrl: account.base_url, fetch: sandbox.fetch })
  const { lead_id } = await publisher.submit(testLeads.distributed())
  const { deliveries } = await sandbox.leads.show(`${lead_id}`)
  const taken = deliveries.find(({ decision }) => decision === 'accepted')
  const apiKey = account.advertisers.find(({ advertiser_id }) => advertiser_id === taken?.advertiser_id)?.api_key ?? ''
  const event = caller === 'wrong input' ? ('no_such_event' as 'approved') : 'approved'
  return async (options: SubmitOptions) => {
    const advertiser = createAdvertiser({ ...shared, apiKey })
    if (call === 'reportStatus') return advertiser.reportStatus(`${lead_id}`, { status: event }, options)
    return advertiser.fire(advertiser.parsePostbackUrl(taken?.postback_url ?? ''), { event }, options)
  }
}

function connectionRefused(): TypeError {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
  return new TypeError('fetch failed', { cause })
}
