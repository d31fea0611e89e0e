import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createTestPostbackUrl } from '@lead-distribution/advertiser-sdk/testing'
import {
  type CallOptions,
  createPublisher,
  LeadSdkError,
  type LeadSdkErrorCode,
} from '@lead-distribution/publisher-sdk'
import { createFakeService, createTestLeads, type FakeReply } from '@lead-distribution/publisher-sdk/testing'

/** The calls of the SDKs, each with its operation of the service. */
export const operationOf = { submit: 'submitLead', reportStatus: 'reportStatus', fire: 'reportEvent' } as const
/** A call of an SDK. */
export type CallName = keyof typeof operationOf
/** The calls of the SDKs. */
export const calls = Object.keys(operationOf) as CallName[]

/** What a call meets: the reply to every request of it, or what the caller does wrong or ends. */
export type Cause = FakeReply | 'wrong options' | 'wrong input' | 'aborted before' | 'aborted meanwhile'

/** How a call of an SDK ended. */
export interface ObservedCall {
  readonly call: CallName
  /** The error; undefined where the call returned a result. */
  readonly error?: { code: LeadSdkErrorCode; name: string; sent: string; retryable: boolean }
  /** The result; undefined where the call threw. */
  readonly result?: { outcome: string; lead_id: string | null; via?: string }
  /** How many requests went out, with the default number of retries. */
  readonly requests: number
}

const service = createFakeService()

/** Makes a call of the SDKs, and observes how it ends. */
export async function observeCall(call: CallName, cause: Cause): Promise<ObservedCall> {
  service.reset()
  const abort = new AbortController()
  if (cause === 'aborted before') abort.abort()
  else if (cause === 'aborted meanwhile') service.always(() => endless(abort))
  else if (cause !== 'wrong options' && cause !== 'wrong input') service.always(cause)
  const options: CallOptions = { signal: abort.signal }
  if (cause === 'timeout') options.timeoutMs = 100
  try {
    const result = await makeCall(call, cause, options)
    return { call, result, requests: result.meta.attempts }
  } catch (error) {
    if (!LeadSdkError.is(error)) throw error
    const { code, name, sent, retryable, meta } = error
    return { call, error: { code, name, sent, retryable }, requests: meta?.attempts ?? 0 }
  }
}

async function makeCall(call: CallName, cause: Cause, options: CallOptions) {
  const change = cause === 'wrong options' ? { baseUrl: 'no URL' } : {}
  if (call === 'submit') {
    const leads = createTestLeads(service.account)
    const lead = cause === 'wrong input' ? leads.validationError() : leads.distributed()
    return createPublisher({ ...service.publisher, ...change }).submit(lead, options)
  }
  const advertiser = createAdvertiser({ ...service.advertiser, ...change })
  const event = cause === 'wrong input' ? ('no_such_event' as 'approved') : 'approved'
  const url = advertiser.parsePostbackUrl(await createTestPostbackUrl())
  if (call === 'fire') return advertiser.fire(url, { event }, options)
  return advertiser.reportStatus(url.lead_id, { status: event }, options)
}

/** A reply that never comes, because the caller gives up. */
function endless(abort: AbortController): Promise<never> {
  abort.abort()
  return new Promise(() => {})
}
