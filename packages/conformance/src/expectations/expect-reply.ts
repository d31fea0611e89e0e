import { Mismatch } from '../mismatch.ts'
import type { Reply } from '../target.ts'
import { told } from './told.ts'

/**
 * Sees that a reply has this status.
 * @throws {Mismatch} where it has another.
 */
export function expectStatus(reply: Reply, ...statuses: number[]): void {
  if (!statuses.includes(reply.status)) throw new Mismatch(statuses.join(' or '), told(reply))
}

/**
 * Sees that something holds of a reply: `expected` says what, as a part of a sentence.
 * @throws {Mismatch} where it does not.
 */
export function expectOf(reply: Reply, holds: boolean, expected: string): void {
  if (!holds) throw new Mismatch(expected, told(reply))
}

/**
 * Sees that a value is this one.
 * @throws {Mismatch} where it is not; `what` says what the value is of.
 */
export function expectSame(what: string, seen: unknown, expected: unknown): void {
  const [seenText, expectedText] = [JSON.stringify(seen), JSON.stringify(expected)]
  if (seenText !== expectedText) throw new Mismatch(`${what} to be ${expectedText}`, String(seenText))
}
