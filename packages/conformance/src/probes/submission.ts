import { maxBodyBytes } from '@lead-distribution/contract'
import { describeResponse, namesField } from '../expectations.ts'
import { sameCustomer, submitLead, submitText } from '../requests.ts'
import type { InterpretationOf, Target, TargetResponse } from '../target.ts'
import { type Found, type Probes, probeWith } from './probe.ts'

/** The sizes to try if the limit isn't ours, in bytes. */
const sizes = [16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576, 2_097_152]

/** Open points about submissions. */
export const submissionProbes = {
  gender: probeWith<'gender'>([], target => requiredOrNot(target, 'customer.personal_data.gender')),

  consent_metadata: probeWith<'consent_metadata'>([], target => requiredOrNot(target, 'consents.metadata')),

  semantic_refusals: probeWith([], async target => {
    const declined = { 'consents.entries.1.accepted': false, 'consents.entries.1.accepted_at': null }
    const consents = await submitLead(target, declined)
    const product = await submitLead(target, { product_id: crypto.randomUUID() })
    const interpretation = semanticsOf(consents)
    if (interpretation === undefined || interpretation !== semanticsOf(product))
      return [
        undefined,
        `The response to declined consents is ${describeResponse(consents)}; to an unknown product, ${describeResponse(product)}.`,
      ]
    const how = interpretation === 'http_422' ? 'a 422' : 'a 200 with the status rejected'
    return [interpretation, `The response to declined consents and to an unknown product is ${how}.`]
  }),

  absent_fields: probeWith([], async target => {
    const body = target.submission()
    const responses = [await target.submit(body), await target.submit(body)]
    const statuses = responses.map(({ status }) => status)
    if (statuses.some(status => status !== 200))
      return [undefined, `The responses to a valid lead and its repeat are ${statuses.join(' and ')}.`]
    const fields = (value: unknown) =>
      ['lead_id', 'redirect_url', 'rejection_reason'].filter(field =>
        responses.some(({ json }) => json?.[field] === value),
      )
    const [omitted, nulls] = [fields(undefined), fields(null)]
    const about = 'In the responses to a lead and its repeat,'
    if (omitted.length > 0 && nulls.length > 0)
      return [undefined, `${about} ${omitted.join(', ')} left out, ${nulls.join(', ')} null.`]
    const [interpretation, how] = omitted.length > 0 ? (['omit', 'left out'] as const) : (['null', 'null'] as const)
    return [interpretation, `${about} fields that don't apply are ${how}: ${[...omitted, ...nulls].join(', ')}.`]
  }),

  email_letter_case: probeWith([], async target => {
    const lead = target.submission()
    await target.submit(lead)
    const response = await submitLead(target, sameCustomer(lead, { inUppercase: true }))
    const { status, rejection_reason } = response.json ?? {}
    const about = 'returning customer with the e-mail address in uppercase'
    if (rejection_reason === 'customer_already_exists') return ['ignored', `A ${about} already exists.`]
    if (status === 'new' || status === 'distributed') return ['kept_apart', `A ${about} is a new customer.`]
    return [undefined, `The response to a ${about} is ${describeResponse(response)}.`]
  }),

  body_limit: probeWith([], async target => {
    const { status } = await submitText(target, '{}')
    if (status === 413) return [undefined, 'Even a body of two bytes is refused as too large.']
    if ((await isRead(target, maxBodyBytes)) && !(await isRead(target, maxBodyBytes + 1)))
      return [`${maxBodyBytes}`, `A body of ${maxBodyBytes} bytes is accepted, and one more byte is refused.`]
    let read = 2
    for (const size of sizes) {
      if (!(await isRead(target, size)))
        return [`${read}..${size}`, `A body of ${read} bytes is accepted, and one of ${size} is refused.`]
      read = size
    }
    return [`>= ${read}`, `A body of ${read} bytes is accepted; larger ones were not tried.`]
  }),
} satisfies Partial<Probes>

/**
 * Determines whether a field is required: a lead without it is either accepted, or refused with a 400 that names it.
 */
async function requiredOrNot(target: Target, path: string): Promise<Found<'gender'>> {
  const response = await submitLead(target, { [path]: undefined })
  const about = `A lead without ${path}`
  if (response.status === 200) return ['optional', `${about} is accepted.`]
  if (namesField(response, path)) return ['required', `${about} is refused with a 400 that names the field.`]
  return [undefined, `${about} gets neither a 200 nor a 400 that names it: ${describeResponse(response)}.`]
}

function semanticsOf({ status, json }: TargetResponse): InterpretationOf['semantic_refusals'] | undefined {
  if (status === 422) return 'http_422'
  return status === 200 && json?.status === 'rejected' ? 'rejected_200' : undefined
}

/** Returns false if an empty object padded to this many bytes is refused for its size. */
async function isRead(target: Target, bytes: number): Promise<boolean> {
  try {
    return (await submitText(target, '{}'.padEnd(bytes))).status !== 413
  } catch {
    // A server may close the connection when a body is too large.
    return false
  }
}
