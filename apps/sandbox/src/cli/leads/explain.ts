import { scenarioHeader } from '@lead-distribution/simulator/paths'
import type { Session } from '../connection/session.ts'
import { explanationText, storyText } from './explanation-text.ts'
import { readInput, withOwner } from './lead-input.ts'

interface Flags {
  readonly scenario?: string
  readonly fill: boolean
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Explains a lead that was decided on, by its id, or the submission in a file, which stays undone. */
export async function explain(session: Session, flags: Flags, idOrFile: string): Promise<void> {
  await (uuid.test(idOrFile) ? explainKept(session, idOrFile) : explainFile(session, idOrFile, flags))
}

async function explainKept(session: Session, id: string): Promise<void> {
  const lead = await session.ask<'showLead'>('GET', ['leads', id])
  // The warnings were told in the journal, where the call stands that brought the lead.
  const query = { lead_id: id, operation: 'submitLead' }
  const { requests } = await session.ask<'listRequests'>('GET', ['requests'], { query })
  const warnings = requests.flatMap(request => request.warnings)
  session.print(lead, () => storyText(lead, warnings))
}

async function explainFile(session: Session, file: string, { scenario, fill }: Flags): Promise<void> {
  const content = await readInput(file)
  const text = fill ? withOwner(content, await session.ask<'showTenant'>('GET', [])) : content
  const headers = scenario === undefined ? {} : { [scenarioHeader]: scenario }
  session.print(await session.ask<'explainLead'>('POST', ['leads', 'explain'], { text, headers }), explanationText)
}
