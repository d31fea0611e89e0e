import { rejectionReasons } from '@lead-distribution/contract'
import { scenarioWords } from '@lead-distribution/test-leads'
import type { FakeRequest } from './fake-request.ts'

/** What a fake service plays besides the scenarios of a sandbox. */
const moreWords = [
  'http_400',
  'http_404',
  'http_405',
  'http_502',
  'http_504',
  /** A `429` with `Retry-After: 1`. */
  'rate_limited',
  /** No connection comes about: the request is not sent. */
  'refused',
  /** The connection breaks, and nothing was done. */
  'reset',
  /** All is done, and half of the reply comes. */
  'malformed',
  /** A status of a lead that no version of this package knows. */
  'unknown_status',
  /** A rejection reason that no version of this package knows. */
  'unknown_reason',
] as const

/**
 * Every word that a fake service plays: an outcome of a submission (`new`, `distributed`, each rejection reason), an
 * error (`http_500`), or a fault of the connection: `refused` before anything was sent, `reset` and `timeout` with
 * nothing done, `lost_reply` and `malformed` with all done.
 */
export const fakeWords = [...scenarioWords, ...moreWords] as const

/** A word that a fake service plays. */
export type FakeWord = (typeof fakeWords)[number]

/** What a call is answered: a word, a `Response` of one's own, or what a function makes of the request. */
export type FakeReply = FakeWord | Response | ((request: FakeRequest) => Response | Promise<Response>)

/** The words that say what becomes of a lead: they wait for a submission. */
const leadWords = ['new', 'distributed', ...rejectionReasons, 'unknown_status', 'unknown_reason'] as const

/** A word that says what becomes of a lead. */
export type LeadWord = (typeof leadWords)[number]

/** Whether a reply says what becomes of a lead, so that a status call has no use for it. */
export function isLeadWord(reply: FakeReply | undefined): reply is LeadWord {
  return (leadWords as readonly unknown[]).includes(reply)
}
