import { closest } from '@lead-distribution/contract/diagnostics'

/**
 * Refuses unknown options: otherwise a misspelled one would be ignored silently.
 * @throws TypeError with the first unknown option and the known one that it resembles.
 */
export function checkOptions(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown === undefined) return
  const meant = closest(unknown, known)
  const advice = meant ? `Use \`${meant}\`.` : `The known names are ${known.join(', ')}.`
  throw new TypeError(`${what} does not know \`${unknown.slice(0, 64)}\`. ${advice}`)
}
