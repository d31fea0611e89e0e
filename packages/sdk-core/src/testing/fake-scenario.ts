import type { LeadSubmission } from '@lead-distribution/contract'
import { readScenario, type ScenarioWord, scenarioOfEmail } from '@lead-distribution/test-leads'

/**
 * The word that a lead's own e-mail address asks for, `<scenario>+<anything>@sandbox.test`. A chain plays one word a
 * submission of one address, and repeats its last; `plays` remembers how far each has come.
 */
export function wordOfLead({ customer }: LeadSubmission, plays: Map<string, number>): ScenarioWord | undefined {
  const email = customer.contact.email.address.toLowerCase()
  const words = readScenario(scenarioOfEmail(email) ?? '') ?? []
  const played = plays.get(email) ?? 0
  plays.set(email, played + 1)
  return words[Math.min(played, words.length - 1)]
}
