import { maxBodyBytes } from '@lead-distribution/contract'
import { describeResponse, fieldsOf } from '../expectations.ts'
import type { InterpretationOf, Target, TargetResponse } from '../target.ts'
import { probeOf } from './probe.ts'

const fields = ['lead_id', 'redirect_url', 'rejection_reason'] as const

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
    return [
      undefined,
      `The responses to a valid lead and its repeat are ${responses.map(({ status }) => status).join(' and ')}.`,
    ]
  if (omitted.length > 0 && nulls.length > 0)
    return [
      undefined,
      `In the responses to a lead and its repeat, ${omitted.join(', ')} left out, ${nulls.join(', ')} null.`,
    ]
  const [interpretation, how] = omitted.length > 0 ? (['omit', 'left out'] as const) : (['null', 'null'] as const)
  return [
    interpretation,
    `In the responses to a lead and its repeat, fields that don't apply are ${how}: ${[...omitted, ...nulls].join(', ')}.`,
  ]
})

export const semanticRefusals = probeOf('semantic_refusals', [], async target => {
  const declined = { 'consents.entries.1.accepted': false, 'consents.entries.1.accepted_at': null }
  const consents = await target.submit(target.submission(declined))
  const product = await target.submit(target.submission({ product_id: crypto.randomUUID() }))
  const [interpretation, other] = [interpretationOf(consents), interpretationOf(product)]
  if (interpretation === undefined || interpretation !== other)
    return [
      undefined,
      `The response to declined consents is ${describeResponse(consents)}; to an unknown product, ${describeResponse(product)}.`,
    ]
  const how = interpretation === 'http_422' ? 'a 422' : 'a 200 with the status rejected'
  return [interpretation, `The response to declined consents and to an unknown product is ${how}.`]
})

function interpretationOf({ status, json }: TargetResponse): InterpretationOf['semantic_refusals'] | undefined {
  if (status === 422) return 'http_422'
  return status === 200 && json?.status === 'rejected' ? 'rejected_200' : undefined
}

export const emailLetterCase = probeOf('email_letter_case', [], async target => {
  const lead = target.submission()
  const address = lead.customer.contact.email.address.toUpperCase()
  await target.submit(lead)
  const response = await target.submit(target.submission({ 'customer.contact.email.address': address }))
  const { status, rejection_reason } = response.json ?? {}
  if (rejection_reason === 'customer_already_exists')
    return ['ignored', 'A customer who returns with the e-mail address in uppercase already exists.']
  if (status === 'new' || status === 'distributed')
    return ['kept_apart', 'A customer who returns with the e-mail address in uppercase is a new one.']
  return [
    undefined,
    `When a customer returns with the e-mail address in uppercase, the response is ${describeResponse(response)}.`,
  ]
})

const json = { headers: { 'content-type': 'application/json' } }

/** The range of powers of two to try if the limit isn't ours, bytes. */
const smallest = 16_384
const largest = 2_097_152

export const bodyLimit = probeOf('body_limit', [], async target => {
  const { status } = await target.submit('{}', json)
  if (status === 413) return [undefined, 'Even a body of two bytes is refused as too large.']
  if ((await isRead(target, maxBodyBytes)) && !(await isRead(target, maxBodyBytes + 1)))
    return [`${maxBodyBytes}`, `A body of ${maxBodyBytes} bytes is accepted, and one more byte is refused.`]
  let read = 2
  for (let size = smallest; size <= largest; size *= 2) {
    if (!(await isRead(target, size)))
      return [`${read}..${size}`, `A body of ${read} bytes is accepted, and one of ${size} is refused.`]
    read = size
  }
  return [`>= ${read}`, `A body of ${read} bytes is accepted; larger ones were not tried.`]
})

/** Returns false if an empty object padded to this many bytes is refused for its size. */
async function isRead(target: Target, bytes: number): Promise<boolean> {
  try {
    const { status } = await target.submit('{}'.padEnd(bytes), json)
    return status !== 413
  } catch {
    // A server may close the connection when a body is too large.
    return false
  }
}

/** Determines whether a field is required: a lead without it is accepted, or refused with a 400 that names it. */
async function requiredOrNot(
  target: Target,
  path: string,
): Promise<readonly ['optional' | 'required' | undefined, string]> {
  const name = path.split('.').at(-1) ?? path
  const response = await target.submit(target.submission({ [path]: undefined }))
  if (response.status === 200) return ['optional', `A lead without ${path} is accepted.`]
  if (response.status === 400 && fieldsOf(response).some(field => field.includes(name)))
    return ['required', `A lead without ${path} is refused with a 400 that names the field.`]
  return [
    undefined,
    `A lead without ${path} gets neither a 200 nor a 400 that names it: ${describeResponse(response)}.`,
  ]
}

export const gender = probeOf('gender', [], target => requiredOrNot(target, 'customer.personal_data.gender'))

export const consentMetadata = probeOf('consent_metadata', [], target => requiredOrNot(target, 'consents.metadata'))
