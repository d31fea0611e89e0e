import { maxBodyBytes } from '@lead-distribution/contract'
import { describeResponse, fieldsOf } from '../expectations.ts'
import type { Target, TargetResponse } from '../target.ts'
import type { InterpretationOf } from './finding.ts'
import { probeOf } from './probe.ts'

const fields = ['lead_id', 'redirect_url', 'rejection_reason'] as const

/** Point 7 (Spec 2.12): how is a field written that does not apply? */
export const absentFields = probeOf('absent_fields', [], async target => {
  const body = target.submission()
  const responses = [await target.submit(body), await target.submit(body)]
  const absent = responses.flatMap(({ json }) =>
    fields
      .filter(field => json?.[field] === undefined || json[field] === null)
      .map(field => ({
        field,
        interpretation: json !== null && field in Object(json) ? ('null' as const) : ('omit' as const),
      })),
  )
  const named = (interpretation: string) => [
    ...new Set(absent.filter(each => each.interpretation === interpretation).map(each => each.field)),
  ]
  const [omitted, nulls] = [named('omit'), named('null')]
  if (responses.some(({ status }) => status !== 200))
    return [undefined, `A valid lead was answered ${responses.map(({ status }) => status).join(', then ')}.`]
  if (omitted.length > 0 && nulls.length > 0)
    return [
      undefined,
      `In the responses to a lead and its repeat, left out: ${omitted.join(', ')}; null: ${nulls.join(', ')}.`,
    ]
  const [interpretation, how] = omitted.length > 0 ? (['omit', 'left out'] as const) : (['null', 'null'] as const)
  return [
    interpretation,
    `In the responses to a lead and its repeat, what does not apply is ${how}: ${[...omitted, ...nulls].join(', ')}.`,
  ]
})

/** Point 3 (Spec 4.1, 7 against 2.12): how are declined consents and an unknown product refused? */
export const semanticRefusals = probeOf('semantic_refusals', [], async target => {
  const declined = { 'consents.entries.1.accepted': false, 'consents.entries.1.accepted_at': null }
  const consents = await target.submit(target.submission(declined))
  const product = await target.submit(target.submission({ product_id: crypto.randomUUID() }))
  const [interpretation, other] = [interpretationOf(consents), interpretationOf(product)]
  if (interpretation === undefined || interpretation !== other)
    return [
      undefined,
      `Declined consents are answered ${describeResponse(consents)}, an unknown product ${describeResponse(product)}.`,
    ]
  const how = interpretation === 'http_422' ? 'a 422' : 'a 200 with status rejected'
  return [interpretation, `Declined consents and an unknown product are both ${how}.`]
})

function interpretationOf({ status, json }: TargetResponse): InterpretationOf['semantic_refusals'] | undefined {
  if (status === 422) return 'http_422'
  return status === 200 && json?.status === 'rejected' ? 'rejected_200' : undefined
}

/** Fixed choice (Spec 2.4): is a customer's e-mail address the same one in other letters' case? */
export const emailLetterCase = probeOf('email_letter_case', [], async target => {
  const lead = target.submission()
  const address = lead.customer.contact.email.address.toUpperCase()
  await target.submit(lead)
  const response = await target.submit(target.submission({ 'customer.contact.email.address': address }))
  const { status, rejection_reason } = response.json ?? {}
  if (rejection_reason === 'customer_already_exists')
    return ['ignored', 'A customer who comes back with the e-mail address in capital letters exists already.']
  if (status === 'new' || status === 'distributed')
    return ['kept_apart', 'A customer who comes back with the e-mail address in capital letters is another one.']
  return [
    undefined,
    `A customer who comes back with the e-mail address in capital letters is answered ${describeResponse(response)}.`,
  ]
})

const json = { headers: { 'content-type': 'application/json' } }

/** Ours first, then what else may be found: powers of two, bytes. */
const least = 16_384
const most = 2_097_152

/** Fixed choice (Spec 8): how large may a body be? */
export const bodyLimit = probeOf('body_limit', [], async target => {
  const { status } = await target.submit('{}', json)
  if (status === 413) return [undefined, 'Even a body of two bytes is refused as one that is too large.']
  if ((await isRead(target, maxBodyBytes)) && !(await isRead(target, maxBodyBytes + 1)))
    return [`${maxBodyBytes}`, `A body of ${maxBodyBytes} bytes is read, and one with a byte more is refused.`]
  let read = 2
  for (let size = least; size <= most; size *= 2) {
    if (!(await isRead(target, size)))
      return [`${read}..${size}`, `A body of ${read} bytes is read, and one of ${size} is refused.`]
    read = size
  }
  return [`>= ${read}`, `A body of ${read} bytes is read; none that is larger was sent.`]
})

/** Whether a body of so many bytes, an empty object, is judged and not refused for its size. */
async function isRead(target: Target, bytes: number): Promise<boolean> {
  try {
    const { status } = await target.submit('{}'.padEnd(bytes), json)
    return status !== 413
  } catch {
    // A server that reads no further may cut the connection.
    return false
  }
}

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
