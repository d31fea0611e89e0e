import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import spinner from 'yocto-spinner'
import { CommandError } from '../exit-codes.ts'
import { paint } from './paint.ts'
import { terminalWidth, widthOf } from './table.ts'

const gap = '  '

/** A line of parts, those without content left out. Where the terminal is too narrow it goes on below, indented. */
export function line(parts: readonly (string | undefined)[]): string {
  const [first = '', ...others] = parts.filter(part => part)
  const lines = [first]
  for (const part of others) {
    const longer = `${lines.at(-1)}${gap}${part}`
    if (widthOf(longer) <= terminalWidth()) lines[lines.length - 1] = longer
    else lines.push(`${gap}${gap}${part}`)
  }
  return lines.join('\n')
}

/** A value of JSON as text for people: `500 to 75000` of a band, `ES, PT` of a list, `none` of an empty one. */
export function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value)
  if (isBand(value) && entries.length === 2) return `${value.min} to ${value.max}`
  return entries.map(([name, each]) => `${name}: ${plain(each)}`).join('; ')
}

function isBand(value: object): value is { readonly min: unknown; readonly max: unknown } {
  return 'min' in value && 'max' in value
}

/**
 * A time of the wire, short: `2026-01-31 09:30:00`, in UTC. Never relative to now: each tenant has its own clock, which
 * may be frozen or ahead.
 */
export function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`
}

/** A list for people, and below it how to see the next page where there is one. */
export function withNext(list: string, next: string | undefined): string {
  return next === undefined ? list : `${list}\n${paint('dim', `There are more: add --before ${next}`)}`
}

/** Writes a report into the file that a flag names; nothing where it names none. */
export async function writeReport(file: string | undefined, report: () => string | Promise<string>): Promise<void> {
  if (file === undefined) return
  const text = await report()
  await writeFile(file, text).catch(error => {
    throw new CommandError(`Could not write ${file} (${error.code}): name a file in a folder that is there.`)
  })
}

/** Shows a spinner on a terminal's stderr until the work is done. */
export async function withProgress<Value>(text: string, work: () => Promise<Value>): Promise<Value> {
  if (!process.stderr.isTTY) return work()
  const shown = spinner({ text }).start()
  try {
    return await work()
  } finally {
    shown.stop()
  }
}

/** The pause between two polls, milliseconds. */
const pauseMs = 500

/**
 * Polls once, or repeatedly until Ctrl-C, which then is a success. A second Ctrl-C ends the process at once.
 */
export async function follow(poll: () => Promise<void>, isFollowing: boolean): Promise<void> {
  const stop = new AbortController()
  if (isFollowing) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  do {
    await poll()
    if (isFollowing) await setTimeout(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
  } while (isFollowing && !stop.signal.aborted)
}
