import { type Command, Option } from 'commander'
import { CommandFault, exitCodes } from '../exit-codes.ts'
import { wholeNumber } from '../values/numbers.ts'
import { duration } from '../values/times.ts'

/** The effects that are switched on by a flag alone, by their flags, and what each does. */
const switches = {
  timeout: 'the reply never comes (calls)',
  reset: 'the connection is cut before anything is done (calls)',
  malformed: 'the reply is no JSON (calls)',
  'lost-reply': 'all is done, and the connection cut before the reply (calls)',
  drop: 'it is not sent, and counts as a failed try (callback)',
  reorder: 'it goes out behind the next one (callback)',
}

/** The effects as the flags gave them. */
export interface EffectFlags {
  readonly status?: number
  readonly retryAfter?: number
  readonly latencyMs?: number
  readonly timeout?: true
  readonly reset?: true
  readonly malformed?: true
  readonly lostReply?: true
  readonly drop?: true
  readonly delay?: string
  readonly duplicate?: number
  readonly reorder?: true
}

/** Adds a flag for each effect. Which effect goes with which operation is for the control plane to say. */
export function addEffectFlags(command: Command): Command {
  command
    .optionsGroup('What happens, one of:')
    .addOption(new Option('--status <status>', 'it is answered with this status').argParser(wholeNumber('status')))
    .addOption(new Option('--latency-ms <ms>', 'the reply takes so long (calls)').argParser(wholeNumber('latency_ms')))
    .addOption(new Option('--delay <duration>', 'it is sent so much later: 5s, PT5S (callback)').argParser(duration))
    .addOption(
      new Option('--duplicate <copies>', 'so many more are sent (callback)').argParser(wholeNumber('duplicate')),
    )
  for (const [name, text] of Object.entries(switches)) command.option(`--${name}`, text)
  return command
}

/** The effect as the control plane takes it. Throws a wrong usage unless the flags name one, and one only. */
export function effectOf(flags: EffectFlags): object {
  const named = {
    status: flags.status,
    latency_ms: flags.latencyMs,
    timeout: flags.timeout,
    reset: flags.reset,
    malformed: flags.malformed,
    lost_reply: flags.lostReply,
    drop: flags.drop,
    delay: flags.delay,
    duplicate: flags.duplicate,
    reorder: flags.reorder,
  }
  const given = Object.values(named).filter(value => value !== undefined)
  if (given.length !== 1)
    throw new CommandFault(
      'Say what happens by one flag, such as --status 503 (faults add --help shows them all).',
      exitCodes.usage,
    )
  return { ...named, retry_after: flags.retryAfter }
}
