import { leadToken, sandboxKeyPrefix, type TokenFormat } from '@lead-distribution/contract'
import { mistakenName } from './diagnose-query.ts'
import { findingOf, isPlaceHolder, type PostbackFinding } from './finding.ts'
import { findTokenMaking, type TokenSigner, writingsOf } from './token-making.ts'

/** The most advertisers and leads that a token is tried for. */
const mostSigners = 10
const mostOtherLeads = 100
/** The longest token that is diagnosed, in characters. No token is nearly as long. */
const longestToken = 1_000

/** What is known about the lead of a token. */
export interface TokenKnowledge {
  /** Id of the lead, in lower case. */
  readonly lead_id: string
  /** The id as the URL has it. */
  readonly sentLeadId: string
  /** The advertisers that have the lead. */
  readonly having: readonly TokenSigner[]
  /** Other advertisers, whose token it may be by mistake. */
  readonly others: readonly TokenSigner[]
  /** Ids of other leads, the likeliest first: the token may have been made for one of them. */
  readonly otherLeadIds: readonly string[]
  /** How the service makes its tokens. */
  readonly format: TokenFormat
  /** The parts of the format that are not known: any interpretation of them is right. */
  readonly open?: readonly (keyof TokenFormat)[]
}

const found = findingOf('token')

/** What is wrong with a token before any signing: it is missing, a place-holder or a key; else undefined. */
export function diagnoseTokenParameter(query: URLSearchParams): PostbackFinding | undefined {
  const token = query.get('token')
  if (!token)
    return found(
      'wrong',
      `The parameter \`token\` is missing${mistakenName(query, 'token')}: use the URL as it was delivered.`,
    )
  if (isPlaceHolder(token)) return found('wrong', 'The token is a place-holder that the platform did not fill in.')
  if (token.startsWith(sandboxKeyPrefix))
    return found('wrong', 'The token is an API key: take it out of the URL and have it rotated.')
  return undefined
}

/** What may have changed a token that cannot be checked by signing. */
export function diagnoseTokenWriting(token: string): PostbackFinding | undefined {
  const [slip] = writingsOf(token)
  return slip && found('warning', `The token perhaps ${slip.mistake}.`)
}

/** Whose token it is for a lead; or how it was made instead. */
export async function diagnoseToken(token: string, knowledge: TokenKnowledge): Promise<PostbackFinding> {
  const { format, open = [] } = knowledge
  const mistake = token.length > longestToken ? undefined : await findingOfMaking(token, knowledge)
  if (mistake) return mistake
  const { hash, joiner, encoding } = format
  const right = `HMAC-${hash} over {lead_id}${joiner}{advertiser_id}, in ${encoding}, by the advertiser's postback_secret`
  return found(
    'wrong',
    `The token is of no advertiser that has the lead: ${open.length === 0 ? `it is ${right}` : 'no usual hash, joiner and encoding leads to it'}. It was made with another secret or changed on its way: use the URL as it was delivered.`,
  )
}

async function findingOfMaking(token: string, knowledge: TokenKnowledge): Promise<PostbackFinding | undefined> {
  const { lead_id, sentLeadId, having, format, open = [] } = knowledge
  const all = [...having, ...knowledge.others].slice(0, mostSigners)
  if (all.some(({ postback_secret }) => postback_secret === token))
    return found(
      'wrong',
      'The token is the postback secret itself: sign with it and never send it, and have it replaced.',
    )

  const tokenOf = (signer: TokenSigner, id: string) => leadToken({ ...signer, lead_id: id }, format)
  const written = writingsOf(token)
  for (const signer of having) {
    const right = await tokenOf(signer, lead_id)
    if (token === right) return found('ok', `It is the token of ${signer.name} for this lead.`)
    const slip = written.find(({ text }) => text === right)
    if (slip) return found('wrong', `The token of ${signer.name} ${slip.mistake}.`)
    if (token.length >= 8 && right.startsWith(token))
      return found(
        'wrong',
        `The token of ${signer.name} is cut short: it has ${token.length} of ${right.length} characters.`,
      )
    if (token.startsWith(right))
      return found('wrong', `The token of ${signer.name} has more behind it: it ends after ${right.length} characters.`)
  }

  const texts = new Set([token, ...written.map(({ text }) => text)])
  const leadIds = [...new Set([lead_id, sentLeadId, lead_id.toUpperCase()])]
  const making = await findTokenMaking(texts, leadIds, all, format)
  if (making) {
    const { signer, text, interpretation } = making
    const name = having.includes(signer) ? signer.name : `${signer.name}, which does not have this lead`
    const slip = written.find(each => each.text === text)
    const deviations = making.deviations.filter(({ part }) => part === undefined || !open.includes(part))
    if (deviations.length > 0)
      return found('wrong', `The token was made for ${name}, but ${deviations.map(each => each.text).join(', ')}.`)
    if (slip) return found('wrong', `The token of ${name} ${slip.mistake}.`)
    if (!having.includes(signer)) return found('wrong', `It is the token of ${name}.`)
    return found('ok', `It is the token of ${name} for this lead, by ${interpretation}.`)
  }

  const isMadeFor = async (signer: TokenSigner, id: string) =>
    open.length > 0
      ? (await findTokenMaking(texts, [id], [signer], format)) !== undefined
      : texts.has(await tokenOf(signer, id))
  const length = all[0] && (await tokenOf(all[0], lead_id)).length
  if (open.length === 0 && ![...texts].some(text => text.length === length)) return undefined
  for (const id of knowledge.otherLeadIds.slice(0, mostOtherLeads))
    for (const signer of all)
      if (await isMadeFor(signer, id))
        return found('wrong', `It is the token of ${signer.name} for another lead: each lead has its own postback URL.`)
  return undefined
}
