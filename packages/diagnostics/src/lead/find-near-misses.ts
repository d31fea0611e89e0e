import type { FieldDescription, Interpretation } from '@lead-distribution/contract'
import { consentMisses } from './consent-misses.ts'
import { type Field, fieldOf, type PlacesByLetters, placesByLetters } from './fields.ts'
import { type AccountIds, productMisses, publisherMisses } from './identifier-misses.ts'
import type { NearMiss } from './near-miss.ts'
import { shapeMisses } from './shape-misses.ts'

/** The most near misses of one submission: a reader takes in no more. */
export const mostNearMisses = 20

/** The most values of a body that the search visits, known and unknown together. A full lead has some sixty. */
const mostValues = 2_000

/**
 * Finds the near misses of a submission, parsed from JSON and not yet validated. Without an account it does not look at
 * ids.
 */
export type NearMissFinder = (body: unknown, interpretation: Interpretation, account?: AccountIds) => NearMiss[]

/**
 * Creates a finder, which keeps the fields of each interpretation. `describeLead` gives what a submission accepts under an
 * interpretation: `describeShape(leadSubmission(interpretation))` of the contract. A valid body may have near misses too:
 * the service ignores unknown fields, and so a misspelt optional one.
 */
export function createNearMissFinder(
  describeLead: (interpretation: Interpretation) => FieldDescription,
): NearMissFinder {
  const kept = new Map<string, { root: Field; places: PlacesByLetters }>()
  const fieldsUnder = (interpretation: Interpretation) => {
    const key = `${interpretation.gender} ${interpretation.consent_metadata}`
    const known = kept.get(key)
    if (known) return known
    const root = fieldOf(describeLead(interpretation))
    const created = { root, places: placesByLetters(root) }
    kept.set(key, created)
    return created
  }
  return (body, interpretation, account) => {
    const { root, places } = fieldsUnder(interpretation)
    const found: NearMiss[] = []
    for (const miss of allMisses(body, root, places, account)) if (found.push(miss) === mostNearMisses) break
    return found
  }
}

/** Ids and consents first: they are few, and many unknown fields do not push them out. */
function* allMisses(
  body: unknown,
  root: Field,
  places: PlacesByLetters,
  account: AccountIds | undefined,
): Generator<NearMiss> {
  const { publisher_id, product_id, consents } = fieldsOf(body)
  const { entries } = fieldsOf(consents)
  if (account && typeof publisher_id === 'string') yield* publisherMisses(publisher_id, account)
  if (account && typeof product_id === 'string') yield* productMisses(product_id, account)
  if (Array.isArray(entries)) yield* consentMisses(entries)
  yield* shapeMisses(body, root, places, { values: mostValues })
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
