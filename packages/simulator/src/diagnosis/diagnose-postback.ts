import { type Account, canonicalUuid, leadToken, sandboxKeyPrefix } from '@lead-distribution/contract'
import {
  decoded,
  diagnoseEvent,
  diagnoseKey,
  diagnoseLeadId,
  diagnoseOrigin,
  diagnoseParameters,
  diagnosePath,
  diagnoseRef,
  diagnoseUrl,
  findingOf,
  isPlaceholder,
  mistakenName,
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
    diagnoseTokenParameter(query) ?? foundToken('warning', 'The token cannot be checked without a lead that is known.')
  const key = diagnoseKey(query)
  if (leadId === undefined) return [key, unchecked()]
  const { finding, known } = await diagnoseLead(leadId, knowledge)
  if (!known) return [finding, key, unchecked()]
  return [finding, diagnoseDistribution(known), key, await diagnoseToken(known, query)]
}

/** The largest number of advertisers, and of other leads, that a token is tried for. */
const maxSigners = 10
const maxOtherLeads = 100
/** The longest token that is diagnosed, in characters. No token is nearly as long. */
const maxTokenLength = 1_000

const foundToken = findingOf('token')

/** Returns what is wrong with a token before any signing: it is missing, a placeholder or a key; else undefined. */
function diagnoseTokenParameter(query: URLSearchParams): PostbackFinding | undefined {
  const token = query.get('token')
  if (!token)
    return foundToken(
      'wrong',
      `The parameter \`token\` is missing${mistakenName(query, 'token')}: use the URL as it was delivered.`,
    )
  if (isPlaceholder(token)) return foundToken('wrong', 'The token is a placeholder that the platform did not fill in.')
  if (token.startsWith(sandboxKeyPrefix))
    return foundToken('wrong', 'The token is an API key: take it out of the URL and have it rotated.')
  return undefined
}

/** Finds whose token it is: an advertiser's that has the lead, another one's, or one for another lead. */
async function diagnoseToken(
  { lead, account, otherLeadIds }: PostbackLead,
  query: URLSearchParams,
): Promise<PostbackFinding> {
  const wrong = (message: string) => foundToken('wrong', message)
  const ofParameter = diagnoseTokenParameter(query)
  if (ofParameter) return ofParameter
  const format = account.settings.token_format
  const { hash, joiner, encoding } = format
  const unknown = wrong(
    `The token matches no advertiser that has this lead: it is HMAC-${hash} over {lead_id}${joiner}{advertiser_id}, in ${encoding}, by the advertiser's postback_secret. It was made with another secret or changed on its way: use the URL as it was delivered.`,
  )
  const token = query.get('token') ?? ''
  if (token.length > maxTokenLength) return unknown

  const holders = acceptedOf(lead.deliveries).map(({ advertiser_id }) => advertiser_id)
  const { having = [], others = [] } = Object.groupBy(account.advertisers, ({ advertiser_id }) =>
    holders.includes(advertiser_id) ? 'having' : 'others',
  )
  const signers = [...having, ...others].slice(0, maxSigners)
  if (signers.some(({ postback_secret }) => postback_secret === token))
    return wrong('The token is the postback secret itself: sign with it and never send it, and have it replaced.')

  const sent = changesOf(token)
  for (const signer of signers) {
    const right = await leadToken({ ...signer, lead_id: lead.lead_id }, format)
    const isHolder = having.includes(signer)
    const name = isHolder ? signer.name : `${signer.name}, which does not have this lead`
    if (token === right)
      return foundToken(isHolder ? 'ok' : 'wrong', `It is the token of ${name}${isHolder ? ' for this lead' : ''}.`)
    const change = sent.find(({ text }) => text === right)
    if (change) return wrong(`The token of ${name} ${change.mistake}.`)
    if (isHolder && token.length >= 8 && right.startsWith(token))
      return wrong(`The token of ${name} is cut short: it has ${token.length} of ${right.length} characters.`)
    if (isHolder && token.startsWith(right))
      return wrong(`The token of ${name} has more behind it: it ends after ${right.length} characters.`)
  }

  const texts = [token, ...sent.map(({ text }) => text)]
  for (const lead_id of otherLeadIds.slice(0, maxOtherLeads))
    for (const signer of signers)
      if (texts.includes(await leadToken({ ...signer, lead_id }, format)))
        return wrong(`It is the token of ${signer.name} for another lead: each lead has its own postback URL.`)
  return unknown
}

/** The forms that a token may have had before something changed it on its way, the likeliest first. */
function changesOf(token: string): { readonly text: string; readonly mistake: string }[] {
  const spaces = 'has spaces or line ends: take them away'
  const once = decoded(token) ?? token
  return [
    { text: token.trim(), mistake: spaces },
    { text: once, mistake: 'was URL-encoded twice: use the URL as it was delivered' },
    { text: decoded(once) ?? once, mistake: 'was URL-encoded three times: use the URL as it was delivered' },
    {
      text: token.replaceAll(/^["'`<{[]|["'`>}\]]$/g, ''),
      mistake: 'has quotes or brackets around it: take them away',
    },
    { text: token.replaceAll(/\s/g, ''), mistake: spaces },
  ].filter(({ text }) => text !== token)
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
