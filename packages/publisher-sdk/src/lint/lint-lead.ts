import { type LeadSubmission, proseInterpretation, type Tracking } from '@lead-distribution/contract'
import { createNearMissFinder } from '@lead-distribution/diagnostics'
import {
  type AdviceOptions,
  checkAdviceOptions,
  fieldsOf,
  isFilled,
  type LeadAdvice,
  trackingAdvice,
} from './lead-advice.ts'
import { leadFields } from './lead-fields.generated.ts'
import { lintConsents } from './lint-consents.ts'

/**
 * What is odd about a lead: fields that are probably misspelt or misplaced, which the service ignores, and what
 * `lintConsents` and `lintTracking` find. Advice, not a check: what the service refuses is found by `validateLead`. Never
 * throws, whatever the lead is.
 * @throws ConfigError an option is unknown.
 * @example
 * ```ts
 * import { lintLead } from '@lead-distribution/publisher-sdk/lint'
 *
 * for (const { field, advice } of lintLead(lead)) report(`${field}: ${advice}`)
 * ```
 */
export function lintLead(lead: LeadSubmission, options?: AdviceOptions): readonly LeadAdvice[] {
  checkAdviceOptions('`lintLead`', options)
  const { consents, tracking } = fieldsOf(lead) as Pick<LeadSubmission, 'consents' | 'tracking'>
  return [...nearMissesOf(lead), ...lintConsents(consents, options), ...lintTracking(tracking)]
}

const findNearMisses = /* @__PURE__ */ createNearMissFinder(() => leadFields)

/** Names and values that resemble what was probably meant; `lintConsents` knows those of consents better. */
function nearMissesOf(lead: unknown): LeadAdvice[] {
  return findNearMisses(lead, proseInterpretation)
    .filter(({ check }) => check === 'shape')
    .map(({ field, message }) => ({ field, code: 'near_miss', advice: message }))
}

const names = ['click_id', 'sub_id', 'campaign_id', 'source'] as const satisfies (keyof Tracking)[]
const email = /[\w.+-](@|%40)[\w-]+\.\w{2}/i

/**
 * What is odd about the tracking data of a lead: empty fields, an e-mail address where none belongs, a
 * source that names no page or drags its query along. Never throws, whatever it is given.
 * @example
 * ```ts
 * import { lintTracking } from '@lead-distribution/publisher-sdk/lint'
 *
 * for (const { field, code } of lintTracking(lead.tracking)) report({ field, code })
 * ```
 */ // Spec 2.10
export function lintTracking(tracking: Tracking | undefined): readonly LeadAdvice[] {
  const given = fieldsOf(tracking)
  return names.flatMap(name =>
    codesOf(name, given[name]).map(code => ({ field: `tracking.${name}`, code, advice: trackingAdvice[code] })),
  )
}

function codesOf(name: keyof Tracking, value: unknown): (keyof typeof trackingAdvice)[] {
  if (typeof value !== 'string') return []
  if (!isFilled(value)) return ['tracking_empty']
  const found: (keyof typeof trackingAdvice)[] = []
  if (email.test(value)) found.push('tracking_personal_data')
  if (name === 'source' && !/^https?:\/\/[^/]/i.test(value)) found.push('source_not_absolute')
  if (name === 'source' && /[?#]/.test(value)) found.push('source_with_query')
  return found
}
