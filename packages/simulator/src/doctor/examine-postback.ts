import { examineOrigin, examinePath, examineUrl } from './examine-address.ts'
import { examineDistribution, examineLead } from './examine-lead.ts'
import { examineEvent, examineKey, examineParameters, examineRef } from './examine-query.ts'
import { examineToken, examineTokenParameter } from './examine-token.ts'
import type { Finding, PostbackKnowledge } from './finding.ts'

/**
 * What the pixel would make of a postback URL, check by check in its order (Spec 4.3); the first that is `wrong` is
 * the one that it answers by. Nothing is reported and nothing is changed.
 */
export async function examinePostback(text: string, knowledge: PostbackKnowledge): Promise<Finding[]> {
  const { url, finding } = examineUrl(text)
  if (!url) return [finding]
  const base = new URL(knowledge.baseUrl)
  const query = url.searchParams
  const path = examinePath(url, base)
  const ref = examineRef(query)
  return [
    finding,
    examineOrigin(url, base),
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
): Promise<Finding[]> {
  const key = examineKey(query)
  if (leadId === undefined) return [key, examineTokenParameter(query)]
  const { finding, known } = await examineLead(leadId, knowledge)
  if (!known) return [finding, key, examineTokenParameter(query)]
  return [finding, examineDistribution(known), key, await examineToken(query, leadId, known)]
}
