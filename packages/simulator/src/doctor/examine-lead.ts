import { examineLeadId, findingOf, type PostbackFinding } from '@lead-distribution/contract/postback'
import { acceptedOf } from '@lead-distribution/engine'
import type { PostbackKnowledge, PostbackLead } from './postback-knowledge.ts'

/** The lead of an id in a path, and what is found of both. */
export async function examineLead(
  leadId: string,
  knowledge: PostbackKnowledge,
): Promise<{ readonly finding: PostbackFinding; readonly known?: PostbackLead }> {
  const found = findingOf('lead')
  const ofId = examineLeadId(leadId)
  if (ofId.verdict === 'wrong') return { finding: ofId }
  const known = await knowledge.findLead(leadId.toLowerCase())
  return known
    ? { known, finding: found('ok', `The lead is known, and is ${known.lead.status}.`) }
    : {
        finding: found('wrong', 'No lead here has this lead_id: it may be of another sandbox, or from before a reset.'),
      }
}

/** Whether an advertiser has the lead: nobody else can report on it. */
export function examineDistribution({ lead }: PostbackLead): PostbackFinding {
  const found = findingOf('distribution')
  const names = acceptedOf(lead.deliveries).map(({ name }) => name)
  return names.length > 0
    ? found('ok', `The lead was distributed to ${names.join(', ')}.`)
    : found('wrong', `The lead is ${lead.status}, and no advertiser has it: no token is good for it.`)
}
