import type { Interpretation } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/engine'
import { consentMisses } from './consent-misses.ts'
import { type Field, fieldTree } from './field-tree.ts'
import { productMisses, publisherMisses } from './identifier-misses.ts'
import { type PlacesByLetters, placesByLetters } from './misplaced-fields.ts'
import type { NearMiss } from './near-miss.ts'
import { shapeMisses } from './shape-misses.ts'

/** No more hints than somebody reads. */
export const mostNearMisses = 20

/** How many values of a body are looked at, known and unknown together. A full lead has some sixty. */
const mostValues = 2_000

/** Finds the near misses of a submission as it was sent, parsed from JSON and nothing else. */
export type NearMissFinder = (body: unknown, account: Account) => NearMiss[]

/**
 * Makes a finder; it keeps the fields of each reading. Also a body that is accepted has near misses: the service
 * ignores what it does not know, and a slip in an optional field with it.
 */
export function createNearMissFinder(): NearMissFinder {
  const known = new Map<string, { root: Field; places: PlacesByLetters }>()
  const knownUnder = (reading: Interpretation) => {
    const name = `${reading.gender} ${reading.consent_metadata}`
    const kept = known.get(name)
    if (kept) return kept
    const root = fieldTree(reading)
    const made = { root, places: placesByLetters(root) }
    known.set(name, made)
    return made
  }
  return (body, account) => {
    const { root, places } = knownUnder(account.settings)
    const found: NearMiss[] = []
    for (const miss of allMisses(body, account, root, places)) if (found.push(miss) === mostNearMisses) break
    return found
  }
}

/** Those of the ids and consents come first: they are few, and no crowd of unknown fields pushes them out. */
function* allMisses(body: unknown, account: Account, root: Field, places: PlacesByLetters): Generator<NearMiss> {
  const { publisher_id, product_id, consents } = fieldsOf(body)
  const { entries } = fieldsOf(consents)
  if (typeof publisher_id === 'string') yield* publisherMisses(publisher_id, account)
  if (typeof product_id === 'string') yield* productMisses(product_id, account)
  if (Array.isArray(entries)) yield* consentMisses(entries)
  yield* shapeMisses(body, root, places, { values: mostValues })
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
