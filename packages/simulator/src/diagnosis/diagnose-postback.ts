import { type Account, canonicalUuid } from '@lead-distribution/contract'
import {
  diagnoseEvent,
  diagnoseKey,
  diagnoseLeadId,
  diagnoseOrigin,
  diagnoseParameters,
  diagnosePath,
  diagnoseRef,
  diagnoseToken,
  diagnoseTokenParameter,
  diagnoseUrl,
  findingOf,
  type PostbackFinding,
} from '@lead-distribution/contract/diagnostics'
import { acceptedOf, type LeadRecord } from '@lead-distribution/engine'

/** The lead of a postback URL, and what its token is checked against. */
export interface PostbackLead {
  readonly lead: Pick<LeadRecord, 'lead_id' | 'status' | 'deliveries'>
  readonly account: Pick<Account, 'advertisers' | 'settings'>
  /** Ids of other leads of the account, newest first: a token may have been made for one of them. */
  readonly otherLeadIds: readonly string[]
}

export interface PostbackKnowledge {
  /** The base address of the service, such as `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string
  /** The lead with an id in lower case; undefined if there is none. */
  readonly findLead: (leadId: string) => Promise<PostbackLead | undefined>
}

/**
 * Diagnoses a postback URL. Returns findings in the order of the pixel's checks (Spec 4.3); the first `wrong` one decides the
 * pixel's response. Nothing is reported and nothing changes.
 */
export async function diagnosePostback(text: string, knowledge: PostbackKnowledge): Promise<PostbackFinding[]> {
  const { url, finding } = diagnoseUrl(text)
  if (!url) return [finding]
  const base = new URL(knowledge.baseUrl)
  const query = url.searchParams
  const path = diagnosePath(url, base)
  const ref = diagnoseRef(query)
  return [
    finding,
    diagnoseOrigin(url, base),
    path.finding,
    ...(await diagnoseAccess(path.leadId, query, knowledge)),
    diagnoseEvent(query),
    ...(ref ? [ref] : []),
    diagnoseParameters(query),
  ]
}

/** Makes the checks whose failure is a 401: the lead, whether an advertiser has it, a key in the URL, the token. */
async function diagnoseAccess(
  leadId: string | undefined,
  query: URLSearchParams,
  knowledge: PostbackKnowledge,
): Promise<PostbackFinding[]> {
  const unchecked = () =>
    diagnoseTokenParameter(query) ??
    findingOf('token')('warning', 'The token cannot be checked without a lead that is known.')
  const key = diagnoseKey(query)
  if (leadId === undefined) return [key, unchecked()]
  const { finding, known } = await diagnoseLead(leadId, knowledge)
  if (!known) return [finding, key, unchecked()]
  return [finding, diagnoseDistribution(known), key, await diagnoseTokenOf(known, leadId, query)]
}

/** Finds the holder of a token for a known lead, or how the token was made instead. */
async function diagnoseTokenOf(
  { lead, account, otherLeadIds }: PostbackLead,
  sentLeadId: string,
  query: URLSearchParams,
): Promise<PostbackFinding> {
  const holders = acceptedOf(lead.deliveries).map(({ advertiser_id }) => advertiser_id)
  const { having = [], others = [] } = Object.groupBy(account.advertisers, ({ advertiser_id }) =>
    holders.includes(advertiser_id) ? 'having' : 'others',
  )
  return (
    diagnoseTokenParameter(query) ??
    diagnoseToken(query.get('token') ?? '', {
      lead_id: lead.lead_id,
      sentLeadId,
      having,
      others,
      otherLeadIds,
      format: account.settings.token_format,
    })
  )
}

/** The lead of an id in a path, and the finding of both. */
async function diagnoseLead(
  leadId: string,
  knowledge: PostbackKnowledge,
): Promise<{ readonly finding: PostbackFinding; readonly known?: PostbackLead }> {
  const found = findingOf('lead')
  const ofId = diagnoseLeadId(leadId)
  if (ofId.verdict === 'wrong') return { finding: ofId }
  const known = await knowledge.findLead(canonicalUuid(leadId))
  return known
    ? { known, finding: found('ok', `The lead is known, and is ${known.lead.status}.`) }
    : {
        finding: found('wrong', 'No lead here has this lead_id: it may be of another sandbox, or from before a reset.'),
      }
}

/** Finds whether an advertiser has the lead: only such an advertiser can report on it. */
function diagnoseDistribution({ lead }: PostbackLead): PostbackFinding {
  const found = findingOf('distribution')
  const names = acceptedOf(lead.deliveries).map(({ name }) => name)
  return names.length > 0
    ? found('ok', `The lead was distributed to ${names.join(', ')}.`)
    : found('wrong', `The lead is ${lead.status}, and no advertiser has it, so no token is valid for it.`)
}
