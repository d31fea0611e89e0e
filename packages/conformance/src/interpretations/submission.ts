import { describeResponse } from '../expectations/expect-response.ts'
import type { TargetResponse } from '../target.ts'
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
