import { sandboxKeyPrefix } from '@lead-distribution/contract'
import { type Advertiser, acceptedOf, findTokenSubject, leadToken, type TokenFormat } from '@lead-distribution/engine'
import { mistakenName } from './examine-query.ts'
import type { Finding, PostbackLead } from './finding.ts'
import { isMacro } from './macro.ts'
import { findTokenMaking } from './token-making.ts'

/** A token of this sandbox is made for one of so few; more are not tried. */
const mostAdvertisers = 10
const mostOtherLeads = 100
/** No token is nearly as long. */
const longestToken = 1_000

const wrong = (message: string): Finding => ({ check: 'token', verdict: 'wrong', message })

/** Whether the URL holds a token at all; without a known lead that is all there is to say of it. */
export function examineTokenParameter(query: URLSearchParams): Finding {
  const token = query.get('token')
  if (!token)
    return wrong(`The parameter \`token\` is missing${mistakenName(query, 'token')}: use the URL as it was delivered.`)
  if (isMacro(token)) return wrong('The token is a place-holder that the platform did not fill in.')
  return { check: 'token', verdict: 'warning', message: 'The token cannot be checked without a lead that is known.' }
}

/** Whose token it is for a lead; or what it is instead. */
export async function examineToken(query: URLSearchParams, sentLeadId: string, known: PostbackLead): Promise<Finding> {
  const token = query.get('token') ?? ''
  const { lead_id, deliveries } = known.lead
  const { token_format } = known.account.settings
  const holders = acceptedOf(deliveries).map(({ advertiser_id }) => advertiser_id)
  const having = known.account.advertisers.filter(({ advertiser_id }) => holders.includes(advertiser_id))
  const subject = await findTokenSubject(
    token,
    having.map(of => ({ ...of, lead_id })),
    token_format,
  )
  if (subject) return { check: 'token', verdict: 'ok', message: `It is the token of ${subject.name} for this lead.` }
  const unfilled = examineTokenParameter(query)
  if (unfilled.verdict === 'wrong') return unfilled
  return wrong((await mistakeOf(token, having, sentLeadId, known)) ?? noneOf(token_format))
}

async function mistakeOf(
  token: string,
  having: readonly Advertiser[],
  sentLeadId: string,
  { lead, account, otherLeadIds }: PostbackLead,
): Promise<string | undefined> {
  if (token.length > longestToken) return undefined
  const { token_format } = account.settings
  const others = account.advertisers.filter(each => !having.includes(each))
  const all = [...having, ...others].slice(0, mostAdvertisers)
  if (token.startsWith(sandboxKeyPrefix)) return 'The token is an API key: take it out of the URL and have it rotated.'
  if (all.some(({ postback_secret }) => postback_secret === token))
    return 'The token is the postback secret itself: sign with it and never send it, and have it replaced.'

  const tokenOf = (advertiser: Advertiser, lead_id: string) => leadToken({ ...advertiser, lead_id }, token_format)
  const written = writingsOf(token)
  for (const advertiser of having) {
    const right = await tokenOf(advertiser, lead.lead_id)
    const slip = written.find(({ text }) => text === right)
    if (slip) return `The token of ${advertiser.name} ${slip.mistake}.`
    if (token.length >= 8 && right.startsWith(token))
      return `The token of ${advertiser.name} is cut short: it has ${token.length} of ${right.length} characters.`
    if (token.startsWith(right))
      return `The token of ${advertiser.name} has more behind it: it ends after ${right.length} characters.`
  }

  const [any] = all
  const rightLength = any && (await tokenOf(any, lead.lead_id)).length
  const texts = new Set([token, ...written.map(({ text }) => text)])
  const leadIds = [...new Set([lead.lead_id, sentLeadId, lead.lead_id.toUpperCase()])]
  const making = await findTokenMaking(texts, leadIds, all, token_format)
  if (making) {
    const whose = having.includes(making.advertiser) ? '' : ', which does not have this lead'
    const { name } = making.advertiser
    return making.deviations.length === 0
      ? `It is the token of ${name}${whose}.`
      : `The token was made for ${name}${whose}, but ${making.deviations.join(', ')}.`
  }
  if (![...texts].some(text => text.length === rightLength)) return undefined
  for (const lead_id of otherLeadIds.slice(0, mostOtherLeads))
    for (const advertiser of all)
      if (texts.has(await tokenOf(advertiser, lead_id)))
        return `It is the token of ${advertiser.name} for another lead: each lead has its own postback URL.`
  return undefined
}

/** The token as it was before it was written wrongly, and how that was. */
function writingsOf(token: string): { readonly text: string; readonly mistake: string }[] {
  const once = decoded(token)
  return [
    { text: token.replaceAll(/\s/g, ''), mistake: 'has spaces or line ends: take them away' },
    { text: once, mistake: 'was URL-encoded twice: use the URL as it was delivered' },
    { text: decoded(once), mistake: 'was URL-encoded three times: use the URL as it was delivered' },
    {
      text: token.replaceAll(/^["'`<{[]|["'`>}\]]$/g, ''),
      mistake: 'has quotes or brackets around it: take them away',
    },
    { text: token.replaceAll(' ', '+'), mistake: 'lost a plus sign: write it as %2B' },
  ].filter(({ text }) => text !== token)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function noneOf({ hash, joiner, encoding }: TokenFormat): string {
  return `The token is of no advertiser that has the lead: it is HMAC-${hash} over {lead_id}${joiner}{advertiser_id}, in ${encoding}, by the advertiser's postback_secret. Use the URL as it was delivered.`
}
