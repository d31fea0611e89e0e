import type { ControlReply } from '@lead-distribution/simulator'
import type { Command } from 'commander'
import { paintValue, shortTime, withProgress } from './printing.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { dateTime, duration } from './values.ts'

type Clock = ControlReply<'showClock'>

export function describeClock(command: Command): void {
  const verb = <Argument extends [string?]>(
    described: Command,
    example: string,
    call: (clock: Session['tenant']['clock'], ...argument: Argument) => Promise<Clock>,
  ) =>
    sandboxVerb<unknown, Argument>(described, [example], async ({ tenant, print }, _flags, ...argument) =>
      print(await call(tenant.clock, ...argument), clockText),
    )
  verb(command.command('show', { isDefault: true }).description('Show the time of the tenant.'), 'clock show', clock =>
    clock.show(),
  )
  verb(command.command('freeze').description('Freeze the time.'), 'clock freeze', clock => clock.freeze())
  verb<[string]>(
    command
      .command('set')
      .description('Set the clock forward. To go back, restore a snapshot.')
      .argument('<time>', 'a time with its zone', dateTime),
    'clock set 2026-12-24T18:00:00Z',
    (clock, time) => clock.set(time),
  )
  verb(command.command('resume').description('Resume the clock.'), 'clock resume', clock => clock.resume())
  describeAdvance(command.command('advance'))
}

function describeAdvance(command: Command): void {
  command
    .description('Advance the clock, and run everything that falls due: callback retries, advertiser reports.')
    .argument('<duration>', '90s, 15m, 24h, 30d or PT24H', duration)
  sandboxVerb<unknown, [string]>(
    command,
    ['clock advance 24h', 'clock advance PT90S'],
    async ({ tenant, print }, _flags, by) =>
      print(await withProgress('Running due jobs', () => tenant.clock.advance({ by })), advancedText),
  )
}

function clockText({ mode, now }: Clock): string {
  return `${shortTime(now)} UTC, ${paintValue(mode)}`
}

function advancedText({ now, executed, pending, held }: ControlReply<'advanceClock'>): string {
  const ofThese = held ? `, ${held} of them held callbacks` : ''
  return `${shortTime(now)} UTC; jobs run: ${executed}, still pending: ${pending}${ofThese}`
}
