import { isUuid } from '@lead-distribution/contract'
import { acceptedOf } from '@lead-distribution/engine'
import { formatHint } from '../explain/format-hint.ts'
import type { Finding, PostbackKnowledge, PostbackLead } from './finding.ts'
import { isMacro } from './macro.ts'

/** The lead of an id in a path, and what is found of both. */
export async function examineLead(
  leadId: string,
  knowledge: PostbackKnowledge,
): Promise<{ readonly finding: Finding; readonly known?: PostbackLead }> {
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'lead', verdict, message })
  if (isMacro(leadId))
    return {
      finding: found(
        'wrong',
        'The lead_id is a place-holder that was not filled in: use the URL delivered with the lead.',
      ),
    }
  if (!isUuid(leadId)) {
    const hint = formatHint(leadId, 'uuid')
    return { finding: found('wrong', `The lead_id is no UUID${hint === undefined ? '.' : `: it ${hint}`}`) }
  }
  const known = await knowledge.findLead(leadId.toLowerCase())
  return known
    ? { known, finding: found('ok', `The lead is known, and is ${known.lead.status}.`) }
    : {
        finding: found('wrong', 'No lead here has this lead_id: it may be of another sandbox, or from before a reset.'),
      }
}

/** Whether an advertiser has the lead: nobody else can report on it. */
export function examineDistribution({ lead }: PostbackLead): Finding {
  const names = acceptedOf(lead.deliveries).map(({ name }) => name)
  return names.length > 0
    ? { check: 'distribution', verdict: 'ok', message: `The lead was distributed to ${names.join(', ')}.` }
    : {
        check: 'distribution',
        verdict: 'wrong',
        message: `The lead is ${lead.status}, and no advertiser has it: no token is good for it.`,
      }
}
