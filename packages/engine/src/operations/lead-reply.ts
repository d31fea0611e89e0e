import { type LeadResponse, wireError } from '@lead-distribution/contract'
import type { Answered, Decision, Refused } from '../admission/decide.ts'
import type { Answer } from '../answer.ts'
import type { Settings } from '../settings.ts'
import type { PortabilityWarning } from '../warning.ts'

/** A decision as `POST /lead` answers it (Spec 2.12; points 3 and 7). */
export function leadReply(decision: Decision, settings: Settings, warnings: PortabilityWarning[]): Answer {
  const { trace, lead_id, forced_by } = decision
  const notes = {
    trace,
    ...(lead_id === undefined ? {} : { lead_id }),
    ...(forced_by === undefined ? {} : { forced_by }),
  }
  if (decision.status === 'answered') return { ...decision.answer, ...notes, warnings }
  if (decision.status !== 'rejected' || decision.refusal !== 'semantic')
    return { status: 200, body: responseOf(decision, settings), ...notes, warnings }
  const { semantic_refusals } = settings
  const asError = semantic_refusals === 'http_422'
  const warning: PortabilityWarning = {
    switch: 'semantic_refusals',
    reading: semantic_refusals,
    other_reading: asError ? 'rejected_200' : 'http_422',
    would: asError ? `answer 200 rejected, ${decision.reason}` : `answer 422 ${decision.reason}`,
  }
  const reply = asError ? semanticError(decision) : { status: 200, body: responseOf(decision, settings) }
  return { ...reply, ...notes, warnings: [...warnings, warning] }
}

function responseOf(decision: Exclude<Decision, Answered>, { absent_fields }: Settings): LeadResponse {
  const { status, lead_id } = decision
  const redirect_url = decision.status === 'distributed' ? decision.redirect_url : undefined
  const rejection_reason = decision.status === 'rejected' ? decision.reason : undefined
  if (absent_fields === 'null')
    return {
      lead_id: lead_id ?? null,
      status,
      redirect_url: redirect_url ?? null,
      rejection_reason: rejection_reason ?? null,
    }
  return {
    ...(lead_id === undefined ? {} : { lead_id }),
    status,
    ...(redirect_url === undefined ? {} : { redirect_url }),
    ...(rejection_reason === undefined ? {} : { rejection_reason }),
  }
}

function semanticError({ reason }: Refused) {
  return reason === 'consents_missing'
    ? wireError('consents_missing', 'Send consents.entries of the types terms and privacy_policy, each accepted.')
    : wireError('invalid_product', 'Send the product_id of a product that was issued to you.')
}
