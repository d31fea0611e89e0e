import { absentFields } from './absent-fields.ts'
import { bodyLimit } from './body-limit.ts'
import { callbackEventNames } from './callback-event-names.ts'
import { callbackRetries } from './callback-retries.ts'
import { callbackSignature } from './callback-signature.ts'
import { callbackTimeout } from './callback-timeout.ts'
import { consentMetadata } from './consent-metadata.ts'
import { distribution } from './distribution.ts'
import { duplicateWindow } from './duplicate-window.ts'
import { emailLetterCase } from './email-letter-case.ts'
import type { Point } from './finding.ts'
import { gender } from './gender.ts'
import { otherAdvertiser } from './other-advertiser.ts'
import { pixelHead } from './pixel-head.ts'
import type { Probe } from './probe.ts'
import { semanticRefusals } from './semantic-refusals.ts'
import { statusMethods } from './status-methods.ts'
import { statusVocabulary } from './status-vocabulary.ts'
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
