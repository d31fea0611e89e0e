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

/** The lead of a postback URL, and the data to check its token against. */
export interface PostbackLead {
  readonly lead: Pick<LeadRecord, 'lead_id' | 'status' | 'deliveries'>
  readonly account: Pick<Account, 'advertisers' | 'settings'>
  /** Ids of the account's other leads, newest first: the token may belong to one of them. */
  readonly otherLeadIds: readonly string[]
}

export interface PostbackKnowledge {
  /** The base address of the service, such as `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string
  /** Finds a lead by its lower-case id. */
  readonly findLead: (leadId: string) => Promise<PostbackLead | undefined>
}

/**
 * Diagnoses a postback URL without calling it. Returns findings in the order of the pixel's checks (Spec 4.3); the first
 * `wrong` one decides the pixel's response.
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

/** Runs the checks that fail with a 401: the lead, whether an advertiser has it, a key in the URL, the token. */
async function diagnoseAccess(
  leadId: string | undefined,
  query: URLSearchParams,
  knowledge: PostbackKnowledge,
): Promise<PostbackFinding[]> {
  const unchecked = () =>
    diagnoseTokenParameter(query) ?? foundToken('warning', 'The token cannot be checked without a known lead.')
  const key = diagnoseKey(query)
  if (leadId === undefined) return [key, unchecked()]
  const { finding, known } = await diagnoseLead(leadId, knowledge)
  if (!known) return [finding, key, unchecked()]
  return [finding, diagnoseDistribution(known), key, await diagnoseToken(known, query)]
}

/** The maximum number of advertisers, and of other leads, to compare a token with. */
const maxSigners = 10
const maxOtherLeads = 100
/** The maximum length of a token to diagnose, in characters. Real tokens are far shorter. */
const maxTokenLength = 1_000

const foundToken = findingOf('token')

/** Returns a finding if the token is missing, a placeholder or an API key, which needs no signature. */
function diagnoseTokenParameter(query: URLSearchParams): PostbackFinding | undefined {
  const token = query.get('token')
  if (!token)
    return foundToken(
      'wrong',
      `The parameter \`token\` is missing${mistakenName(query, 'token')}: use the URL as it was delivered.`,
    )
  if (isPlaceholder(token)) return foundToken('wrong', 'The token is a placeholder that the platform did not replace.')
  if (token.startsWith(sandboxKeyPrefix))
    return foundToken('wrong', 'The token is an API key: remove it from the URL and have it rotated.')
  return undefined
}

/** Finds the owner of the token: an advertiser that has the lead, another one, or another lead's. */
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
    `The token matches no advertiser that has this lead: a valid one is HMAC-${hash} over {lead_id}${joiner}{advertiser_id}, in ${encoding}, keyed with the advertiser's postback_secret. This one was made with another secret or changed in transit: use the URL as it was delivered.`,
  )
  const token = query.get('token') ?? ''
  if (token.length > maxTokenLength) return unknown

  const holders = acceptedOf(lead.deliveries).map(({ advertiser_id }) => advertiser_id)
  const { having = [], others = [] } = Object.groupBy(account.advertisers, ({ advertiser_id }) =>
    holders.includes(advertiser_id) ? 'having' : 'others',
  )
  const signers = [...having, ...others].slice(0, maxSigners)
  if (signers.some(({ postback_secret }) => postback_secret === token))
    return wrong(
      'The token is the postback secret itself. Use the secret only to sign, never send it, and have this one replaced.',
    )

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
      return wrong(
        `The token of ${name} has extra characters at its end: it should end after ${right.length} characters.`,
      )
  }

  const texts = [token, ...sent.map(({ text }) => text)]
  for (const lead_id of otherLeadIds.slice(0, maxOtherLeads))
    for (const signer of signers)
      if (texts.includes(await leadToken({ ...signer, lead_id }, format)))
        return wrong(`It is the token of ${signer.name} for another lead: each lead has its own postback URL.`)
  return unknown
}

/** The changes that a token may have suffered in transit, likeliest first. */
function changesOf(token: string): { readonly text: string; readonly mistake: string }[] {
  const spaces = 'has spaces or line ends: remove them'
  const once = decoded(token) ?? token
  return [
    { text: token.trim(), mistake: spaces },
    { text: once, mistake: 'was URL-encoded twice: use the URL as it was delivered' },
    { text: decoded(once) ?? once, mistake: 'was URL-encoded three times: use the URL as it was delivered' },
    {
      text: token.replaceAll(/^["'`<{[]|["'`>}\]]$/g, ''),
      mistake: 'has quotes or brackets around it: remove them',
    },
    { text: token.replaceAll(/\s/g, ''), mistake: spaces },
  ].filter(({ text }) => text !== token)
}

/** Finds the lead with the id in the path, and returns the finding. */
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
        finding: found(
          'wrong',
          'No lead here has this lead_id: it may belong to another sandbox, or be from before a reset.',
        ),
      }
}

/** Checks if any advertiser has the lead: only one that does can report on it. */
function diagnoseDistribution({ lead }: PostbackLead): PostbackFinding {
  const found = findingOf('distribution')
  const names = acceptedOf(lead.deliveries).map(({ name }) => name)
  return names.length > 0
    ? found('ok', `The lead was distributed to ${names.join(', ')}.`)
    : found('wrong', `The lead is ${lead.status}, and no advertiser has it, so no token is valid for it.`)
}
