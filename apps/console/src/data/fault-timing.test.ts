import { expect, it } from 'vitest'
import type { Fault } from './entries.ts'
import { nextActOf } from './fault-timing.ts'

function fault(fault_id: string, more: Partial<Fault> = {}): Fault {
  const match = { operation: 'submitLead' } as const
  return { fault_id, match, effect: { status: 503 }, matched: 0, acted: 0, ...more }
}

it.each<[Partial<Fault>, string]>([
  [{}, 'Acts on the next submission.'],
  [{ after: 3, matched: 1 }, 'Acts after 2 more submissions.'],
  [{ after: 3, matched: 2 }, 'Acts after 1 more submission.'],
  [{ after: 3, matched: 9, acted: 1, times: 2 }, 'Acts on the next submission.'],
  [{ times: 2, matched: 2, acted: 2 }, 'Used up.'],
  [{ times: 0 }, 'Never acts.'],
  [{ probability: 0 }, 'Never acts.'],
  [{ effect: { latency_ms: 0 } }, 'Never acts.'],
  [{ match: { operation: 'callback' }, effect: { delay: 'PT0S' } }, 'Never acts.'],
  [{ effect: { status: 503, retry_after: 0 } }, 'Acts on the next submission.'],
  [{ probability: 0.004 }, 'Acts on the next submission, with a chance of 0.4%.'],
  [{ probability: 0.999 }, 'Acts on the next submission, with a chance of 99.9%.'],
  [{ probability: 0.07 }, 'Acts on the next submission, with a chance of 7%.'],
  [{ match: { operation: 'callback' } }, 'Acts on the next callback attempt.'],
  [
    { probability: 0.25, match: { operation: 'submitLead', scenario: 'new' } },
    'Acts on the next submission with the scenario new, with a chance of 25%.',
  ],
])('says when %j acts', (more, said) => {
  expect(nextActOf(fault('f1', more), [fault('f1', more)])).toBe(said)
})

it('names the earlier fault that takes precedence', () => {
  const last = fault('f3')
  const passing = [fault('f0', { match: { operation: 'callback' } }), fault('f1', { times: 1, acted: 1 })]
  expect(nextActOf(last, [...passing, last])).toBe('Acts on the next submission.')
  expect(nextActOf(last, [...passing, fault('f2', { times: 1 }), last])).toBe(
    'Acts once f2 is used up, which comes first.',
  )
  expect(nextActOf(last, [fault('f2'), last])).toBe("Doesn't act while f2 is set, which comes first.")
})
