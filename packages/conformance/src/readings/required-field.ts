import { fieldsOf } from '../expectations/expect-error.ts'
import { told } from '../expectations/told.ts'
import type { Target } from '../target.ts'

/** Whether a lead needs a field: one without it is accepted, or refused by a 400 that names it. */
export async function requiredOrNot(
  target: Target,
  path: string,
): Promise<readonly ['optional' | 'required' | undefined, string]> {
  const name = path.split('.').at(-1) ?? path
  const reply = await target.submit(target.submission({ [path]: undefined }))
  if (reply.status === 200) return ['optional', `A lead without ${path} is taken.`]
  if (reply.status === 400 && fieldsOf(reply).some(field => field.includes(name)))
    return ['required', `A lead without ${path} is a 400 that names the field.`]
  return [undefined, `A lead without ${path} is answered otherwise than by 200 or a 400 that names it: ${told(reply)}.`]
}
