import { expectFieldRefused } from '../../../expectations/expect-error.ts'
import { expectLead } from '../../../expectations/expect-lead.ts'
import { Mismatch } from '../../../mismatch.ts'
import type { Reply, Target } from '../../../target.ts'
import { everyObject } from '../full-lead.ts'

/**
 * Sees that a lead is judged with each of these values of a field.
 * @throws {Mismatch} where it is not; it tells of every such value.
 */
export async function takesEach(target: Target, path: string, values: readonly unknown[]): Promise<void> {
  await tryEach(target, path, values, reply => expectLead(reply))
}

/**
 * Sees that each of these values of a field is a 400 that names the field; `undefined` takes the field away.
 * @throws {Mismatch} where it is not; it tells of every such value.
 */
export async function refusesEach(target: Target, path: string, values: readonly unknown[]): Promise<void> {
  await tryEach(target, path, values, reply => expectFieldRefused(reply, path))
}

async function tryEach(target: Target, path: string, values: readonly unknown[], see: (reply: Reply) => void) {
  const mismatches: [value: string, Mismatch][] = []
  for (const value of values) {
    const reply = await target.submit(target.submission({ ...everyObject, [path]: value }))
    try {
      see(reply)
    } catch (mismatch) {
      if (!(mismatch instanceof Mismatch)) throw mismatch
      mismatches.push([value === undefined ? 'without it' : `with ${JSON.stringify(value)}`, mismatch])
    }
  }
  const [first] = mismatches
  if (!first) return
  const [, { expected }] = first
  throw new Mismatch(expected, mismatches.map(([value, { seen }]) => `${value}: ${seen}`).join('; '))
}
