import type { Finding, Point, Target } from '../target.ts'
import { callbackEventNames, callbackRetries, callbackSignature, callbackTimeout } from './callbacks.ts'
import { duplicateWindow } from './duplicate-window.ts'
import type { Probe } from './probe.ts'
import { distribution, otherAdvertiser, pixelHead, statusMethods, statusVocabulary } from './reports.ts'
import { absentFields, bodyLimit, consentMetadata, emailLetterCase, gender, semanticRefusals } from './submission.ts'
import { tokenFormat } from './token-format.ts'

/** The probe of each open point: first those with a setting in a sandbox of this toolkit, then fixed choices. */
export const probes: { readonly [P in Point]: Probe<P> } = {
  gender,
  consent_metadata: consentMetadata,
  semantic_refusals: semanticRefusals,
  status_methods: statusMethods,
  status_vocabulary: statusVocabulary,
  callback_event_names: callbackEventNames,
  absent_fields: absentFields,
  duplicate_window: duplicateWindow,
  callback_retries: callbackRetries,
  callback_timeout: callbackTimeout,
  token_format: tokenFormat,
  other_advertiser: otherAdvertiser,
  distribution,
  callback_signature: callbackSignature,
  email_letter_case: emailLetterCase,
  pixel_head: pixelHead,
  body_limit: bodyLimit,
}

/** The question of each open point, in the same order. */
export const openPoints: Readonly<Record<Point, string>> = {
  gender: "Is the customer's gender required? (Spec 2.3)",
  consent_metadata: 'Is the consent metadata required? (Spec 2.9, 4.1)',
  semantic_refusals: 'How are declined consents and an unknown product refused? (Spec 4.1, 7, 2.12)',
  status_methods: 'Which methods do status updates accept? (Spec 4.2)',
  status_vocabulary: 'Which names may a status have? (Spec 4.2)',
  callback_event_names: 'Which name does a callback use for an event? (Spec 6.1, 6.2)',
  absent_fields: "How does a response represent a field that doesn't apply? (Spec 2.12)",
  duplicate_window: 'How long is a returning customer a duplicate? (Spec 2.12, 8)',
  callback_retries: 'After which delays is a failed callback retried? (Spec 6.2)',
  callback_timeout: 'How long may the response to a callback take? (Spec 6.2)',
  token_format: 'How is the token of a postback URL made? (Spec 5)',
  other_advertiser: "What is the response to an update of another advertiser's lead? (Spec 4.2)",
  distribution: 'How many advertisers get a lead? (Spec 1, 3)',
  callback_signature: 'Are callbacks authenticated? (Spec 6.2)',
  email_letter_case: 'Do e-mail addresses that differ only in letter case belong to one customer? (Spec 2.4)',
  pixel_head: 'Does a HEAD request to the pixel report the event? (Spec 4.3)',
  body_limit: 'How large may a body be? (Spec 8)',
}

/** Returns the target's interpretation of every open point, in order. */
export function findInterpretations(target: Target): Promise<Finding[]> {
  return Promise.all(Object.keys(openPoints).map(point => target.finding(point as Point)))
}
