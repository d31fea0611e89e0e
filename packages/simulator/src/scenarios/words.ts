import { type RejectionReason, validationError } from '@lead-distribution/contract'
import { type Order, unauthorized } from '@lead-distribution/engine'
import type { BrokenReply } from '@lead-distribution/http'
import { type ScenarioWord, scenarioWords } from '@lead-distribution/test-leads/scenarios'
import { statusReply } from '../faults/disturb-call.ts'
import { scenarioHeader } from '../surface.ts'

/** The words that answer a status whatever the lead says. */
const statusWords = { http_401: 401, http_422: 422, http_500: 500, http_503: 503 } as const

/** The words whose reply never comes, and how: nothing was done, or all of it. */
const brokenWords = { timeout: 'withheld', lost_reply: 'cut' } as const

/** What a word orders. */
export function orderOf(word: ScenarioWord): Order {
  if (word === 'lost_reply') return { word }
  if (word === 'timeout') return { word, answer: statusReply(504) }
  if (word === 'http_401') return { word, answer: unauthorized }
  if (word in statusWords) return { word, answer: statusReply(statusWords[word as keyof typeof statusWords]) }
  return { word, outcome: word as 'new' | 'distributed' | RejectionReason }
}

/** How the reply to a word fails on its way; undefined where it does not. */
export function brokenBy(word: string | undefined): BrokenReply | undefined {
  return word === 'timeout' || word === 'lost_reply' ? brokenWords[word] : undefined
}

/** The refusal of a header that holds no scenario. */
export const unknownScenario = validationError([
  { field: scenarioHeader, issue: `must be one of ${scenarioWords.join(', ')}, or a chain of them joined by dots` },
])
