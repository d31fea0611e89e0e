import { type AbortedError, LeadSdkError, type OutcomeUnknownError } from '@lead-distribution/sdk-core/errors'
import type { SubmittedLead } from './submit-run.ts'

type Fault<State> = Omit<Extract<SubmittedLead, { state: State }>, 'index' | 'lead'>

/** What a fault says of the one lead that met it. */
export function faultOf(error: LeadSdkError): Fault<'failed'> | Fault<'unknown'> {
  if (error?.sent !== 'maybe') return { state: 'failed', error }
  const unknown = error as OutcomeUnknownError | AbortedError
  return { state: 'unknown', error: unknown, attempt: unknown.attempt }
}

/** Whether a fault is one of the set-up and not of the lead: it must not be met 50,000 times. */
export function meetsEveryLead(error: unknown): boolean {
  const ofSetUp = ['config', 'auth', 'protocol', 'server', 'not_sent']
  return LeadSdkError.is(error) && !error.retryable && ofSetUp.includes(error.code)
}
