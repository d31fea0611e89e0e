import type { Orders } from '@lead-distribution/engine'
import { readScenario, scenarioOfEmail } from '@lead-distribution/test-leads/scenarios'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import { orderOf } from './words.ts'

/**
 * Orders by scenario: the header's, else that of the e-mail address. A chain plays one word a submission of one
 * address; after its end it repeats its last word. An address whose words mean nothing is an ordinary one.
 */
export const playScenarios: Orders<SandboxTables> = async (lead, tables, { scenario, dry }) => {
  const email = lead.customer.contact.email.address.toLowerCase()
  const text = scenario ?? scenarioOfEmail(email)
  const [first, ...rest] = (text !== undefined && readScenario(text)) || []
  if (first === undefined) return undefined
  if (rest.length === 0) return orderOf(first)
  const key = `${text} ${email}`
  const plays = await tables.readChain(key)
  if (!dry) await tables.setChain(key, plays + 1)
  return orderOf(rest[Math.min(plays, rest.length) - 1] ?? first)
}
