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

/** Whose token it is for a lead; or how it was made instead. */
export async function diagnoseToken(token: string, knowledge: TokenKnowledge): Promise<PostbackFinding> {
  const mistake = token.length > longestToken ? undefined : await findingOfMaking(token, knowledge)
  if (mistake) return mistake
  const { hash, joiner, encoding } = knowledge.format
  const right = `HMAC-${hash} over {lead_id}${joiner}{advertiser_id}, in ${encoding}, by the advertiser's postback_secret`
  return found(
    'wrong',
    `The token is of no advertiser that has the lead: it is ${right}. It was made with another secret or changed on its way: use the URL as it was delivered.`,
  )
}

async function findingOfMaking(token: string, knowledge: TokenKnowledge): Promise<PostbackFinding | undefined> {
  const { lead_id, sentLeadId, having, format } = knowledge
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
    const { signer, text, deviations } = making
    const name = having.includes(signer) ? signer.name : `${signer.name}, which does not have this lead`
    const slip = written.find(each => each.text === text)
    if (deviations.length > 0) return found('wrong', `The token was made for ${name}, but ${deviations.join(', ')}.`)
    return found('wrong', slip ? `The token of ${name} ${slip.mistake}.` : `It is the token of ${name}.`)
  }

  const length = all[0] && (await tokenOf(all[0], lead_id)).length
  if (![...texts].some(text => text.length === length)) return undefined
  for (const id of knowledge.otherLeadIds.slice(0, mostOtherLeads))
    for (const signer of all)
      if (texts.has(await tokenOf(signer, id)))
        return found('wrong', `It is the token of ${signer.name} for another lead: each lead has its own postback URL.`)
  return undefined
}

/** An advertiser that a token may have been made for. */
export interface TokenSigner extends Omit<TokenSubject, 'lead_id'> {
  /** The advertiser's name in a message. */
  readonly name: string
}

/** The recipe of a token. */
interface TokenMaking {
  readonly signer: TokenSigner
  /** The one of the texts that was made so. */
  readonly text: string
  /** The differences from the expected format, as parts of a sentence. */
  readonly deviations: readonly string[]
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
          return { signer, text: written.value, deviations }
        }
      }
  return undefined
}

/** One way to make a part of a token. */
interface Variant<Value> {
  readonly value: Value
  /** The differences from the expected format, as parts of a sentence. */
  readonly deviations: readonly string[]
}

/** The bytes of each hash: the length of a token limits which of them it may be. */
const hashes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 } as const
const joiners = ['', ':', '.', '|', '-', '_', '/', ',', ';', ' ']

/** The hashes that have one of these lengths. */
function hashesOf(lengths: ReadonlySet<number>, format: TokenFormat): Variant<string>[] {
  return Object.entries(hashes)
    .filter(([, bytes]) => encodingsOf(new Uint8Array(bytes), format).some(({ value }) => lengths.has(value.length)))
    .map(([hash]) => ({
      value: hash,
      deviations: hash === format.hash ? [] : [`by ${hash} instead of ${format.hash}`],
    }))
}

/** The secret unchanged, and decoded first. */
function secretsOf(secret: string): Variant<string | Uint8Array<ArrayBuffer>>[] {
  const decoded = [
    { value: fromBase64(secret), deviations: ['with the secret decoded from base64 first'] },
    { value: fromHex(secret), deviations: ['with the secret decoded from hexadecimal digits first'] },
  ]
  return [
    { value: secret, deviations: [] },
    ...decoded.flatMap(({ value, deviations }) => (value?.length ? [{ value, deviations }] : [])),
  ]
}

/** The signed parts. The first of the lead's ids is the right one. */
function contentsOf(leadIds: readonly string[], advertiserId: string, { joiner }: TokenFormat): Variant<string>[] {
  return leadIds.flatMap((leadId, index) => {
    const ofCase = index === 0 ? [] : ['with the lead_id in capital letters']
    const joined = [...new Set([joiner, ...joiners])].flatMap(by => {
      const ofJoiner = by === joiner ? [] : [by === '' ? 'without a joiner' : `joined by "${by}"`]
      const swapped = [...ofCase, 'with the advertiser before the lead', ...ofJoiner]
      return [
        { value: `${leadId}${by}${advertiserId}`, deviations: [...ofCase, ...ofJoiner] },
        { value: `${advertiserId}${by}${leadId}`, deviations: swapped },
      ]
    })
    return [...joined, { value: leadId, deviations: [...ofCase, 'over the lead_id alone'] }]
  })
}

/** The signature as text, in every encoding. */
function encodingsOf(signature: Uint8Array, format: TokenFormat): Variant<string>[] {
  const hex = encodeToken(signature, 'hex')
  const base64url = encodeToken(signature, 'base64url')
  const base64 = encodeToken(signature, 'base64')
  const encoded = {
    hex,
    base64url,
    base64,
    'hex in capital letters': hex.toUpperCase(),
    'base64url with padding': base64url + '='.repeat(base64.length - base64url.length),
    'base64 without padding': base64.replaceAll('=', ''),
  }
  return Object.entries(encoded).map(([encoding, value]) => ({
    value,
    deviations: encoding === format.encoding ? [] : [`encoded as ${encoding} instead of ${format.encoding}`],
  }))
}

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
interface TokenWriting {
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
