import {
  examineEvent,
  examineKey,
  examineOrigin,
  examineParameters,
  examinePath,
  examineRef,
  examineToken,
  examineTokenParameter,
  examineUrl,
  findingOf,
  type PostbackFinding,
} from '@lead-distribution/contract/postback'
import { acceptedOf } from '@lead-distribution/engine'
import { examineDistribution, examineLead } from './examine-lead.ts'
import type { PostbackKnowledge, PostbackLead } from './postback-knowledge.ts'

/**
 * What the pixel would make of a postback URL, check by check in its order (Spec 4.3); the first that is `wrong` is
 * the one that it answers by. Nothing is reported and nothing is changed.
 */
export async function examinePostback(text: string, knowledge: PostbackKnowledge): Promise<PostbackFinding[]> {
  const { url, finding } = examineUrl(text)
  if (!url) return [finding]
  const base = new URL(knowledge.baseUrl)
  const query = url.searchParams
  const path = examinePath(url, base)
  const ref = examineRef(query)
  return [
    finding,
    examineOrigin(url, base, true),
    path.finding,
    ...(await examineAccess(path.leadId, query, knowledge)),
    examineEvent(query),
    ...(ref ? [ref] : []),
    examineParameters(query),
  ]
}

/** What answers 401: the lead, whether somebody has it, a key in the URL, and the token. */
async function examineAccess(
  leadId: string | undefined,
  query: URLSearchParams,
  knowledge: PostbackKnowledge,
): Promise<PostbackFinding[]> {
  const unchecked = () =>
    examineTokenParameter(query) ??
    findingOf('token')('warning', 'The token cannot be checked without a lead that is known.')
  const key = examineKey(query)
  if (leadId === undefined) return [key, unchecked()]
  const { finding, known } = await examineLead(leadId, knowledge)
  if (!known) return [finding, key, unchecked()]
  return [finding, examineDistribution(known), key, await examineTokenOf(known, leadId, query)]
}

/** Whose token it is for a lead that is known; or what it is instead. */
async function examineTokenOf(
  { lead, account, otherLeadIds }: PostbackLead,
  sentLeadId: string,
  query: URLSearchParams,
): Promise<PostbackFinding> {
  const holders = acceptedOf(lead.deliveries).map(({ advertiser_id }) => advertiser_id)
  const { having = [], others = [] } = Object.groupBy(account.advertisers, ({ advertiser_id }) =>
    holders.includes(advertiser_id) ? 'having' : 'others',
  )
  return (
    examineTokenParameter(query) ??
    examineToken(query.get('token') ?? '', {
      ...{ lead_id: lead.lead_id, sentLeadId, having, others, otherLeadIds },
      format: account.settings.token_format,
    })
  )
}
