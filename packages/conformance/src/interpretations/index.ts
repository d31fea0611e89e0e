import type { Target } from '../target.ts'
import { distribution, otherAdvertiser } from './advertisers.ts'
import { callbackEventNames, callbackRetries, callbackSignature, callbackTimeout } from './callbacks.ts'
import { duplicateWindow } from './duplicate-window.ts'
import type { Finding, Point } from './finding.ts'
import type { Probe } from './probe.ts'
import { pixelHead, statusMethods, statusVocabulary } from './reports.ts'
import { absentFields, bodyLimit, consentMetadata, emailLetterCase, gender, semanticRefusals } from './submission.ts'
import { tokenFormat } from './token-format.ts'

/** The probe of each open point: those of a switch in the order of the points, then fixed choices. */
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

/** Every open point with its question: those with a switch in a sandbox of this toolkit first, then fixed choices. */
export const openPoints: Readonly<Record<Point, string>> = {
  gender: "Is the customer's gender required? (Spec 2.3)",
  consent_metadata: 'Is the metadata of the consents required? (Spec 2.9, 4.1)',
  semantic_refusals: 'How are declined consents and an unknown product refused? (Spec 4.1, 7, 2.12)',
  status_methods: 'By which methods is a status reported? (Spec 4.2)',
  status_vocabulary: 'Which names may a status have? (Spec 4.2)',
  callback_event_names: 'By which name does a callback call an event? (Spec 6.1, 6.2)',
  absent_fields: 'How is a field written that does not apply? (Spec 2.12)',
  duplicate_window: 'For how long does a rejected customer come back too soon? (Spec 2.12, 8)',
  callback_retries: 'After which waits is a failed callback tried again? (Spec 6.2)',
  callback_timeout: 'How long may the answer to a callback take? (Spec 6.2)',
  token_format: 'How is the token of a postback URL made? (Spec 5)',
  other_advertiser: "How is the update of another advertiser's lead answered? (Spec 4.2)",
  distribution: 'How many advertisers get a lead? (Spec 1, 3)',
  callback_signature: 'Does anything authenticate a callback? (Spec 6.2)',
  email_letter_case: 'Is an e-mail address in other letter case the same customer? (Spec 2.4)',
  pixel_head: 'Does a HEAD of the pixel report the event? (Spec 4.3)',
  body_limit: 'How large may a body be? (Spec 8)',
}

/** The interpretation of every open point by a target, in their order. */
export function findInterpretations(target: Target): Promise<Finding[]> {
  return Promise.all(Object.keys(openPoints).map(point => target.finding(point as Point)))
}
