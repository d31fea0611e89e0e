import { isDateTime, readDuration } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import type { Account } from '@lead-distribution/control-client'
import { bounds } from '@lead-distribution/simulator/bounds'
import { InvalidArgumentError } from 'commander'
import { readInput } from '../read-input.ts'
import { CommandError } from './exit-codes.ts'
import { flag, oneOf } from './flags.ts'

/** The service's operations, repeated here because loading the contract takes longer than running a verb. */
const operations: Readonly<Record<OperationName, true>> = { submitLead: true, reportStatus: true, reportEvent: true }

export const operationNames = Object.keys(operations) as OperationName[]

/** The profiles, repeated here for the same reason. */
const profiles: Readonly<Record<Account['settings']['profile'], true>> = { prose: true, formal: true }

export const profileNames = Object.keys(profiles) as (keyof typeof profiles)[]

/** `--profile`: an interpretation of the open points. */
export const profileFlag = oneOf(flag('<name>', "how to interpret the specification's open points"), profileNames)

/** Parses a whole number from `min` to `max`. */
export function whole(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Pass a whole number from ${min} to ${max}.`)
    return value
  }
}

/** Parses a whole number within the control plane's bounds, or from a higher minimum. */
export function wholeNumber(name: keyof typeof bounds, min: number = bounds[name].min) {
  return whole(min, bounds[name].max)
}

export function fromZeroTo(max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= 0 && value <= max))
      throw new InvalidArgumentError(`Pass a number from 0 to ${max}.`)
    return value
  }
}

const durations = 'a duration without months or years, such as 90s, 15m, 24h, 30d or PT24H'
const times = 'a time with its zone, such as 2026-01-31T09:30:00Z'

/** Parses a duration: `90s`, `15m`, `24h`, `30d`, or ISO 8601 such as `PT24H`. Returns the ISO form. */
export function duration(text: string): string {
  const read = readDuration(text)
  if (read === undefined) throw new InvalidArgumentError(`Pass ${durations}.`)
  return read
}

export function dateTime(text: string): string {
  if (!isDateTime(text)) throw new InvalidArgumentError(`Pass ${times}.`)
  return text
}

/** Parses a time, or a duration before now. */
export function since(text: string): string {
  const read = isDateTime(text) ? text : readDuration(text)
  if (read === undefined) throw new InvalidArgumentError(`Pass ${durations} before now, or ${times}.`)
  return read
}

/** Settings of an account. The control plane checks their names and values. */
export type SomeSettings = Partial<Account['settings']>

/** Adds a `name=value` pair to the previous ones, the value as JSON or plain text. */
export function setting(text: string, before: SomeSettings = {}): SomeSettings {
  const [, name, value = ''] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Pass a name and a value, such as gender=required.')
  return { ...before, [name]: jsonOrText(value) }
}

/** Parses a value as JSON, or returns it as plain text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Parses a JSON object; undefined if the text is not one. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonOrText(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}

export function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as SyntaxError).message}.`)
  }
}

/** Reads JSON from a file, or from stdin if the name is `-`. */
export async function readJson(file: string): Promise<unknown> {
  return parseJson(await readInput(file), file)
}
