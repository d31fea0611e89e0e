import { expect, it } from 'vitest'
import type { Fault } from './entries.ts'
import { nextActOf } from './fault-timing.ts'

function fault(fault_id: string, more: Partial<Fault> = {}): Fault {
  const match = { operation: 'submitLead' } as const
  return { fault_id, match, effect: { status: 503 }, matched: 0, acted: 0, state: 'active', lets_through: 0, ...more }
}

it.each<[Partial<Fault>, string]>([
  [{}, 'Acts on the next submission.'],
  [{ lets_through: 2 }, 'Acts after 2 more submissions.'],
  [{ lets_through: 1 }, 'Acts after 1 more submission.'],
  [{ state: 'used_up', acted: 1 }, 'Used up.'],
  [{ state: 'used_up' }, 'Never acts.'],
  [{ probability: 0.004 }, 'Acts on the next submission, with a chance of 0.4%.'],
  [{ probability: 0.999 }, 'Acts on the next submission, with a chance of 99.9%.'],
  [{ probability: 0.07 }, 'Acts on the next submission, with a chance of 7%.'],
  [{ match: { operation: 'callback' } }, 'Acts on the next callback attempt.'],
  [
    { probability: 0.25, match: { operation: 'submitLead', scenario: 'new' } },
    'Acts on the next submission with the scenario new, with a chance of 25%.',
  ],
])('says when %j acts', (more, said) => {
  expect(nextActOf(fault('f1', more), [])).toBe(said)
})

it('names the earlier fault that acts first', () => {
  const last = fault('f3', { state: 'blocked', blocked_by: 'f2' })
  expect(nextActOf(last, [fault('f2', { times: 1 }), last])).toBe('Acts once f2 is used up, which comes first.')
  expect(nextActOf(last, [fault('f2'), last])).toBe("Doesn't act while f2 is set, which comes first.")
})
