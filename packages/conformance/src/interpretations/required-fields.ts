import { describeResponse, fieldsOf } from '../expectations/expect-response.ts'
import type { Target } from '../target.ts'
import { probeOf } from './probe.ts'

/** Whether a lead needs a field: one without it is accepted, or refused by a 400 that names it. */
async function requiredOrNot(
  target: Target,
  path: string,
): Promise<readonly ['optional' | 'required' | undefined, string]> {
  const name = path.split('.').at(-1) ?? path
  const response = await target.submit(target.submission({ [path]: undefined }))
  if (response.status === 200) return ['optional', `A lead without ${path} is taken.`]
  if (response.status === 400 && fieldsOf(response).some(field => field.includes(name)))
    return ['required', `A lead without ${path} is a 400 that names the field.`]
  return [
    undefined,
    `A lead without ${path} is answered otherwise than by 200 or a 400 that names it: ${describeResponse(response)}.`,
  ]
}

/** Point 1 (Spec 2.3): is the gender required? */
export const gender = probeOf('gender', [], target => requiredOrNot(target, 'customer.personal_data.gender'))

/** Point 2 (Spec 2.9 against 4.1): is the metadata of the consents required? */
export const consentMetadata = probeOf('consent_metadata', [], target => requiredOrNot(target, 'consents.metadata'))
