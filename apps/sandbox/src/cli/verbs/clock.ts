import type { ControlReply } from '@lead-distribution/simulator'
import { argument } from '../flags.ts'
import { paintValue, shortTime } from '../printing.ts'
import { group, verb } from '../run-verb.ts'
import { dateTime, duration } from '../values.ts'

export const clock = group(
  {
    show: verb({
      does: "Show the tenant's time.",
      call: ({ tenant }) => tenant.clock.show(),
      text: clockText,
    }),
    freeze: verb({
      does: 'Freeze the clock.',
      call: ({ tenant }) => tenant.clock.freeze(),
      text: clockText,
    }),
    set: verb({
      does: 'Set the clock forward. To go back, restore a snapshot.',
      takes: { time: argument('<time>', 'a time with its zone', dateTime) },
      examples: ['2026-12-24T18:00:00Z'],
      call: ({ tenant }, { time }) => tenant.clock.set(time),
      text: clockText,
    }),
    resume: verb({
      does: 'Resume the clock.',
      call: ({ tenant }) => tenant.clock.resume(),
      text: clockText,
    }),
    advance: verb({
      does: 'Advance the clock, and run everything that is due by then: callback retries, advertiser reports.',
      takes: { by: argument('<duration>', '90s, 15m, 24h, 30d or PT24H', duration) },
      examples: ['24h', 'PT90S'],
      progress: 'Running due jobs',
      call: ({ tenant }, { by }) => tenant.clock.advance({ by }),
      text: ({ now, executed, pending, held }) =>
        `${shortTime(now)} UTC; jobs run: ${executed}, still pending: ${pending}${held ? `, ${held} of them held callbacks` : ''}`,
    }),
  },
  'show',
)

function clockText({ mode, now }: ControlReply<'showClock'>): string {
  return `${shortTime(now)} UTC, ${paintValue(mode)}`
}
