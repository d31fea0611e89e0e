import { closest, namedWithin } from '@lead-distribution/contract/diagnostics'
import { ConfigError } from './errors.ts'

/** The names that an object accepts: `1` for a value, or the names of a nested object. */
export interface Names {
  readonly [name: string]: 1 | Names
}

/** The names of all options of a type. Omitting one is a type error. */
export type Known<Options> = { readonly [Name in keyof Required<Options>]: 1 | Names }

/** Names that users know from other libraries and that the rules below can't find. */
const otherNames: Readonly<Record<string, string>> = {
  ip: 'ip_address',
  key: 'apiKey',
  previousAttempt: 'resubmission',
  reference: 'ref',
  url: 'baseUrl',
}

/**
 * Refuses unknown options, whatever their value: otherwise a misspelled one would be ignored silently.
 * @param what The call or object that accepts the options, for the message.
 * @throws ConfigError with the first unknown option and the known one that it resembles.
 */
export function checkOptions(what: string, given: unknown, known: Names, path = ''): void {
  if (given === undefined || given === null) return
  if (typeof given !== 'object')
    throw new ConfigError(`${what} takes an object of named options, not a ${typeof given}.`)
  // Includes inherited names: an AbortSignal passed as the options has no others.
  for (const name in given) {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined
    if (!inner) {
      const meant = nearest(name, known)
      const advice = meant ? `Use \`${path}${meant}\`.` : `The known names are ${Object.keys(known).join(', ')}.`
      throw new ConfigError(`${what} does not know \`${path}${name.slice(0, 64)}\`. ${advice}`)
    }
    const value = inner !== 1 && (given as Record<string, unknown>)[name]
    if (inner !== 1 && typeof value === 'object') checkOptions(what, value, inner, `${path}${name}.`)
  }
}

/** The maximum delay of a timer, in milliseconds: with a longer one, a timer fires at once. */
export const maxMs = 2_147_483_647

/** Returns true if an option is a non-negative number of milliseconds. */
export function isDuration(ms: unknown, longest = maxMs): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= longest
}

/** Copies options and their nested plain objects, so that later changes have no effect. */
export function copyOptions<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options ?? {}).map(([name, value]) => [name, copyOf(value)])) as Options
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  // A URL.
  if ('href' in value) return String(value)
  const prototype = Object.getPrototypeOf(value)
  // Plain, from any realm. Anything else belongs to its owner, such as an AbortSignal.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return isPlain ? { ...value } : value
}

/** Finds the known name that was probably meant, also among the names of nested objects. */
function nearest(name: string, known: Names): string | undefined {
  const names = Object.keys(known)
  const found = [otherNames[name]].find(other => other && names.includes(other)) ?? closest(name, names)
  if (found) return found
  for (const outer of names) {
    const inner = known[outer]
    const within = typeof inner === 'object' && nearest(name, inner)
    if (within) return `${outer}.${within}`
  }
  return namedWithin(name, names)
}
