import { type Comparison, isText } from './compare-text.ts'

/** Stands for the rest: of a line, of a list, or, as a field, of an object. */
const rest = '…'

/** Whether a command printed what a guide shows. Layout does not count: neither how JSON is indented nor how wide a table is. */
export function isOutput(format: 'json' | 'text', shown: string, actual: string, comparison: Comparison): boolean {
  if (format === 'text') return isText(withoutLayout(shown), withoutLayout(actual), comparison)
  const came = readJson(actual)
  return came !== undefined && isValue(JSON.parse(shown), came, comparison)
}

function isValue(shown: unknown, came: unknown, comparison: Comparison, field?: string): boolean {
  if (typeof shown === 'string') return typeof came === 'string' && isText(shown, came, comparison)
  // How long something took differs from run to run.
  if (field === 'ms') return typeof shown === 'number' && typeof came === 'number'
  if (typeof shown !== 'object' || shown === null) return shown === came
  if (Array.isArray(shown)) return Array.isArray(came) && isList(shown, came, comparison)
  return typeof came === 'object' && came !== null && !Array.isArray(came) && isObject(shown, came, comparison)
}

function isList(shown: unknown[], came: unknown[], comparison: Comparison): boolean {
  const listed = shown.at(-1) === rest ? shown.slice(0, -1) : shown
  return (
    (listed.length === came.length || (listed.length < shown.length && listed.length <= came.length)) &&
    listed.every((value, place) => isValue(value, came[place], comparison))
  )
}

function isObject(shown: object, came: object, comparison: Comparison): boolean {
  const fields = Object.entries(shown).filter(([field]) => field !== rest)
  const all = rest in shown || fields.length === Object.keys(came).length
  return (
    all && fields.every(([field, value]) => isValue(value, (came as Record<string, unknown>)[field], comparison, field))
  )
}

/** What JSON a text holds, or undefined. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text with single spaces and without the lines of tables. */
function withoutLayout(text: string): string {
  const lines = text.split('\n').map(line => line.replace(/[\s\u2500-\u257f]+/g, ' ').trim())
  return lines.filter(line => line !== '').join('\n')
}
