import type { Command } from 'commander'
import { sandboxVerb } from './connection/sandbox-verb.ts'
import type { Reply } from './connection/session.ts'
import { paintWord } from './printing/paint.ts'
import { withProgress } from './printing/progress.ts'
import { shortTime } from './printing/time.ts'
import { dateTime, duration } from './values/times.ts'

/** `lead-sandbox clock`. */
export function describeClock(command: Command): void {
  command.helpCommand(false)
  sandboxVerb<unknown, []>(command.command('show').description('Show the time.'), ['clock show'], async session =>
    session.print(await session.ask<'showClock'>('GET', ['clock']), clockText),
  )
  describeChange(command.command('freeze').description('Let the time stand still.'), 'clock freeze', () => ({
    freeze: true,
  }))
  describeChange(
    command
      .command('set')
      .description('Set the time forward; back leads restoring a snapshot.')
      .argument('<time>', 'a time with its zone', dateTime),
    'clock set 2026-12-24T18:00:00Z',
    set => ({ set }),
  )
  describeChange(command.command('resume').description('Let the time run on.'), 'clock resume', () => ({
    resume: true,
  }))
  sandboxVerb<unknown, [string]>(
    command
      .command('advance')
      .description('Go forward, doing all that falls due on the way: retries of callbacks, reports of advertisers.')
      .argument('<duration>', '90s, 15m, 24h, 30d or PT24H', duration),
    ['clock advance 24h', 'clock advance PT90S'],
    async (session, _flags, by) => {
      const advance = () => session.ask<'advanceClock'>('POST', ['clock', 'advance'], { body: { by } })
      session.print(await withProgress('Doing what falls due', advance), advancedText)
    },
  )
}

function describeChange(command: Command, example: string, bodyOf: (argument?: string) => object): void {
  sandboxVerb<unknown, [string?]>(command, [example], async (session, _flags, argument) => {
    const body = bodyOf(argument)
    session.print(await session.ask<'changeClock'>('POST', ['clock'], { body }), clockText)
  })
}

function clockText({ mode, now }: Reply<'showClock'>): string {
  return `${shortTime(now)} UTC, ${paintWord(mode)}`
}

function advancedText({ now, executed, pending }: Reply<'advanceClock'>): string {
  return `${shortTime(now)} UTC; done on the way: ${executed}, still waiting: ${pending}`
}
