import {
  encodeToken,
  leadToken,
  sandboxKeyPrefix,
  signToken,
  type TokenFormat,
  type TokenSubject,
  tokenKey,
} from '../index.ts'
import { decoded, findingOf, isPlaceHolder, mistakenName, type PostbackFinding } from './postback.ts'

/** The most advertisers and leads that a token is tried for. */
const mostSigners = 10
const mostOtherLeads = 100
/** The longest token that is diagnosed, in characters. No token is nearly as long. */
const longestToken = 1_000

/** The known facts about the lead of a token. */
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
  /** The settings by which the service makes its tokens. */
  readonly format: TokenFormat
  /** The parts of the format that are not known: any interpretation of them is right. */
  readonly open?: readonly (keyof TokenFormat)[]
}

const found = findingOf('token')

/** Returns what is wrong with a token before any signing: it is missing, a place-holder or a key; else undefined. */
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

/** Lists what may have changed a token that cannot be checked by signing. */
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

/** An advertiser that a token may have been made for. */
export interface TokenSigner extends Omit<TokenSubject, 'lead_id'> {
  /** The advertiser's name in a message. */
  readonly name: string
}

/** The recipe of a token. */
export interface TokenMaking {
  readonly signer: TokenSigner
  /** The one of the texts that was made so. */
  readonly text: string
  /** Its hash, joiner and encoding, as a part of a sentence. */
  readonly interpretation: string
  readonly deviations: readonly TokenDeviation[]
}

/**
 * Finds the recipe by which one of these texts is a token of the lead: another interpretation of the specification, or a
 * common mistake such as another hash, order, joiner or encoding, or a secret that was decoded first. Undefined if none
 * leads to it.
 */
async function findTokenMaking(
  texts: ReadonlySet<string>,
  leadIds: readonly string[],
  signers: readonly TokenSigner[],
  format: TokenFormat,
): Promise<TokenMaking | undefined> {
  const possible = hashesOf(new Set([...texts].map(text => text.length)), format)
  for (const signer of signers)
    for (const secret of secretsOf(signer.postback_secret))
      for (const hash of possible) {
        const key = await tokenKey(secret.value, hash.value)
        for (const content of contentsOf(leadIds, signer.advertiser_id, format)) {
          const signature = await signToken(key, content.value)
          const written = encodingsOf(signature, format).find(({ value }) => texts.has(value))
          if (!written) continue
          const deviations = [hash, secret, content, written].flatMap(each => each.deviations)
          const interpretation = `HMAC-${hash.value}, the joiner "${content.joiner}" and ${written.encoding}`
          return { signer, text: written.value, interpretation, deviations }
        }
      }
  return undefined
}

/** The difference between a token and the expected format. */
export interface TokenDeviation {
  /** The part of the format that another interpretation has; undefined for a mistake. */
  readonly part?: keyof TokenFormat | undefined
  /** As a part of a sentence. */
  readonly text: string
}

/** One way to make a part of a token. */
export interface Variant<Value> {
  readonly value: Value
  readonly deviations: readonly TokenDeviation[]
}

/** The bytes of each hash: the length of a token limits which of them it may be. */
const hashes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 } as const
const joiners = ['', ':', '.', '|', '-', '_', '/', ',', ';', ' ']

/** The hashes that have one of these lengths. */
function hashesOf(lengths: ReadonlySet<number>, format: TokenFormat): Variant<string>[] {
  return Object.entries(hashes)
    .filter(([, bytes]) => encodingsOf(new Uint8Array(bytes), format).some(({ value }) => lengths.has(value.length)))
    .map(([hash]) => {
      const part = hash === 'SHA-1' ? undefined : ('hash' as const)
      return {
        value: hash,
        deviations: hash === format.hash ? [] : [{ part, text: `by ${hash} instead of ${format.hash}` }],
      }
    })
}

/** The secret unchanged, and decoded first. */
function secretsOf(secret: string): Variant<string | Uint8Array<ArrayBuffer>>[] {
  const decoded = [
    { value: fromBase64(secret), deviations: [{ text: 'with the secret decoded from base64 first' }] },
    { value: fromHex(secret), deviations: [{ text: 'with the secret decoded from hexadecimal digits first' }] },
  ]
  return [
    { value: secret, deviations: [] },
    ...decoded.flatMap(({ value, deviations }) => (value?.length ? [{ value, deviations }] : [])),
  ]
}

/** The signed parts. The first of the lead's ids is the right one. */
function contentsOf(
  leadIds: readonly string[],
  advertiserId: string,
  { joiner }: TokenFormat,
): (Variant<string> & { readonly joiner: string })[] {
  return leadIds.flatMap((leadId, index) => {
    const ofCase = index === 0 ? [] : [{ text: 'with the lead_id in capital letters' }]
    const joined = [...new Set([joiner, ...joiners])].flatMap(by => {
      const text = by === '' ? 'without a joiner' : `joined by "${by}"`
      const ofJoiner = by === joiner ? [] : [{ part: 'joiner' as const, text }]
      const ofOrder = { text: 'with the advertiser before the lead' }
      return [
        { joiner: by, value: `${leadId}${by}${advertiserId}`, deviations: [...ofCase, ...ofJoiner] },
        { joiner: by, value: `${advertiserId}${by}${leadId}`, deviations: [...ofCase, ofOrder, ...ofJoiner] },
      ]
    })
    return [...joined, { joiner: '', value: leadId, deviations: [...ofCase, { text: 'over the lead_id alone' }] }]
  })
}

/** The signature as text, in every encoding. */
function encodingsOf(signature: Uint8Array, format: TokenFormat): (Variant<string> & { readonly encoding: string })[] {
  const usual = (['hex', 'base64url', 'base64'] as const).map(each => [each, encodeToken(signature, each)] as const)
  const [[, hex], [, base64url], [, base64]] = usual as [Usual, Usual, Usual]
  const unusual = [
    ['hex in capital letters', hex.toUpperCase()],
    ['base64url with padding', base64url + '='.repeat(base64.length - base64url.length)],
    ['base64 without padding', base64.replaceAll('=', '')],
  ] as const
  return [...usual, ...unusual].map(([encoding, value], index) => {
    const part = index < usual.length ? ('encoding' as const) : undefined
    const text = `encoded as ${encoding} instead of ${format.encoding}`
    return { encoding, value, deviations: encoding === format.encoding ? [] : [{ part, text }] }
  })
}

type Usual = readonly [encoding: string, text: string]

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}

/** A token as it was before it was written wrongly, and how that was, as a part of a sentence. */
export interface TokenWriting {
  readonly text: string
  readonly mistake: string
}

const spaces = 'has spaces or line ends: take them away'

/** Forms that a token may have had before something changed it on its way, the likeliest first. */
function writingsOf(token: string): TokenWriting[] {
  const once = decoded(token) ?? token
  return [
    { text: token.trim(), mistake: spaces },
    { text: once, mistake: 'was URL-encoded twice: use the URL as it was delivered' },
    { text: decoded(once) ?? once, mistake: 'was URL-encoded three times: use the URL as it was delivered' },
    {
      text: token.replaceAll(/^["'`<{[]|["'`>}\]]$/g, ''),
      mistake: 'has quotes or brackets around it: take them away',
    },
    { text: token.replaceAll(' ', '+'), mistake: 'lost a plus sign: write it as %2B' },
    { text: token.replaceAll(/\s/g, ''), mistake: spaces },
  ].filter(({ text }) => text !== token)
}
