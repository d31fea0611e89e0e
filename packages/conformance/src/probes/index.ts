import { missingNeed, Unclear } from '../case.ts'
import { redactor } from '../facts.ts'
import type { Finding, Point, Target } from '../target.ts'
import { callbackProbes } from './callbacks.ts'
import { duplicateWindow } from './duplicate-window.ts'
import type { Probes } from './probe.ts'
import { reportProbes } from './reports.ts'
import { submissionProbes } from './submission.ts'
import { tokenFormat } from './token-format.ts'

const probes: Probes = {
  ...submissionProbes,
  ...reportProbes,
  ...callbackProbes,
  duplicate_window: duplicateWindow,
  token_format: tokenFormat,
}

/**
 * The question for each open point: first those with a setting in a sandbox of this toolkit, then fixed choices.
 * @category Results
 */
export const openPoints: Readonly<Record<Point, string>> = {
  gender: "Is the customer's gender required? (Spec 2.3)",
  consent_metadata: 'Is the consent metadata required? (Spec 2.9, 4.1)',
  semantic_refusals: 'What is the response to declined consents and an unknown product? (Spec 4.1, 7, 2.12)',
  status_methods: 'Which methods do status updates accept? (Spec 4.2)',
  status_vocabulary: 'Which names may a status have? (Spec 4.2)',
  callback_event_names: 'Which name does a callback use for an event? (Spec 6.1, 6.2)',
  absent_fields: "How does a response represent a field that doesn't apply? (Spec 2.12)",
  duplicate_window: 'How long is a returning customer considered a duplicate? (Spec 2.12, 8)',
  callback_retries: 'After which delays is a failed callback retried? (Spec 6.2)',
  callback_timeout: 'How long may a receiver take to respond to a callback? (Spec 6.2)',
  token_format: "How is a postback URL's token generated? (Spec 5)",
  other_advertiser: "What is the response to a status update for another advertiser's lead? (Spec 4.2)",
  distribution: 'How many advertisers get a lead? (Spec 1, 3)',
  callback_signature: 'Are callbacks authenticated? (Spec 6.2)',
  email_letter_case: 'Are e-mail addresses that differ only in letter case the same customer? (Spec 2.4)',
  pixel_head: 'Does a HEAD request to the pixel report the event? (Spec 4.3)',
  body_limit: 'How large may a body be? (Spec 8)',
}

/** Probes a point. If a need is missing or the probe fails, the interpretation is unknown, with the reason. */
export async function probe(target: Target, point: Point): Promise<Finding> {
  const { needs, find } = probes[point]
  const missing = missingNeed(needs, target)
  if (missing) return { point, interpretation: undefined, known_by: missing }
  const redacted = redactor(target.facts)
  try {
    const [interpretation, known_by] = await find(target)
    return { point, interpretation, known_by: redacted(known_by) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const known_by = error instanceof Unclear ? message : `The probe failed: ${message.replace(/\.$/, '')}.`
    return { point, interpretation: undefined, known_by: redacted(known_by) }
  }
}

/** Returns the target's interpretation of every open point, in order. */
export function findInterpretations(target: Target): Promise<Finding[]> {
  return Promise.all(Object.keys(openPoints).map(point => target.finding(point as Point)))
}
