import { probeOf } from './probe.ts'
import { requiredOrNot } from './required-field.ts'

/** Point 1 (Spec 2.3): is the gender required? */
export const gender = probeOf('gender', [], target => requiredOrNot(target, 'customer.personal_data.gender'))
