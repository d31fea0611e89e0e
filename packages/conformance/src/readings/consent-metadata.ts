import { probeOf } from './probe.ts'
import { requiredOrNot } from './required-field.ts'

/** Point 2 (Spec 2.9 against 4.1): is the metadata of the consents required? */
export const consentMetadata = probeOf('consent_metadata', [], target => requiredOrNot(target, 'consents.metadata'))
