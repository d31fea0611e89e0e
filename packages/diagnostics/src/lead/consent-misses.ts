import { requiredConsents } from '@lead-distribution/contract'
import { closest, namedWithin } from '../closest-name.ts'
import type { NearMiss } from './near-miss.ts'

/** The most entries that the search visits: a lead has a handful. */
const mostEntries = 100

/** The near misses of each required consent that `consents.entries` does not hold as accepted. */ // Spec 2.9
export function* consentMisses(entries: readonly unknown[]): Generator<NearMiss> {
  const sent = entries.slice(0, mostEntries).map((entry, index) => ({ ...readEntry(entry), index }))
  for (const type of requiredConsents) {
    const ofType = sent.filter(entry => entry.type === type)
    if (ofType.some(({ accepted }) => accepted === true)) continue
    const [refused] = ofType.filter(({ accepted }) => accepted === false)
    if (refused)
      yield miss(refused.index, 'accepted', `is false: a lead needs the consent \`${type}\`, accepted by the customer.`)
    if (ofType.length > 0) continue
    const alike = sent.find(entry => meantType(entry.type) === type)
    if (alike) yield miss(alike.index, 'type', `resembles a required consent, did you mean \`${type}\`?`)
  }
}

function meantType(type: string): string | undefined {
  return closest(type, requiredConsents) ?? namedWithin(type, requiredConsents)
}

function readEntry(entry: unknown): { type: string; accepted: unknown } {
  const { type, accepted } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
  return { type: typeof type === 'string' ? type : '', accepted }
}

function miss(index: number, name: string, rest: string): NearMiss {
  const field = `consents.entries.${index}.${name}`
  return { check: 'consents', field, message: `\`${field}\` ${rest}` }
}
