import { probeOf } from './probe.ts'

const fields = ['lead_id', 'redirect_url', 'rejection_reason'] as const

/** Point 7 (Spec 2.12): how is a field written that does not apply? */
export const absentFields = probeOf('absent_fields', [], async target => {
  const body = target.submission()
  const replies = [await target.submit(body), await target.submit(body)]
  const absent = replies.flatMap(({ json }) =>
    fields
      .filter(field => json?.[field] === undefined || json[field] === null)
      .map(field => ({
        field,
        reading: json !== null && field in Object(json) ? ('null' as const) : ('omit' as const),
      })),
  )
  const named = (reading: string) => [
    ...new Set(absent.filter(each => each.reading === reading).map(each => each.field)),
  ]
  const [omitted, nulls] = [named('omit'), named('null')]
  if (replies.some(({ status }) => status !== 200))
    return [undefined, `A valid lead was answered ${replies.map(({ status }) => status).join(', then ')}.`]
  if (omitted.length > 0 && nulls.length > 0)
    return [
      undefined,
      `In the replies to a lead and its repeat, left out: ${omitted.join(', ')}; null: ${nulls.join(', ')}.`,
    ]
  const [reading, how] = omitted.length > 0 ? (['omit', 'left out'] as const) : (['null', 'null'] as const)
  return [
    reading,
    `In the replies to a lead and its repeat, what does not apply is ${how}: ${[...omitted, ...nulls].join(', ')}.`,
  ]
})
