/**
 * Explain what is wrong with a postback URL.
 * @module @lead-distribution/advertiser-sdk/explain
 */

import { canonicalEvent, canonicalUuid, usualTokenFormat } from '@lead-distribution/contract'
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
  diagnoseTokenWriting,
  diagnoseUrl,
  findingOf,
  type PostbackFinding,
} from '@lead-distribution/contract/diagnostics'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPostback } from './postback-url.ts'
import { checkTokenSource } from './token-check.ts'
import { eventsOf, type Vocabulary } from './vocabulary.ts'

// A separate entry: its sentences are a third of the SDK, and few programs need them.
export type { PostbackFinding } from '@lead-distribution/contract/diagnostics'

/** The options of {@link explainPostbackUrl}. */
export interface ExplainOptions {
  /** Base address of the service, such as `https://acme.example.com/api/v1`. */
  baseUrl: string | URL
  /** The vocabulary of event names. Default: either. */
  vocabulary?: Vocabulary | undefined
  /** The secret that the service shares with the advertiser; together with `advertiser_id` it checks the token too. */
  secret?: string | undefined
  /** Id of the advertiser, a UUID, in the letter case in which it was issued. */
  advertiser_id?: string | undefined
  /** The hash of the token. Default: any; the finding names the one that fits. */
  hash?: 'SHA-256' | 'SHA-384' | 'SHA-512' | undefined
  /** The text between lead id and advertiser id. Default: any usual one. */
  joiner?: string | undefined
  /** The encoding of the token. Default: any. */
  encoding?: 'hex' | 'base64' | 'base64url' | undefined
  /** Ids of other leads whose token it may be, the likeliest first. At most 100 are tried. */
  lead_ids?: readonly string[] | undefined
}

const knownOptions = {
  baseUrl: 1,
  vocabulary: 1,
  secret: 1,
  advertiser_id: 1,
  hash: 1,
  joiner: 1,
  encoding: 1,
  lead_ids: 1,
} satisfies Known<ExplainOptions>

/**
 * Explains what is right and wrong with a postback URL, check by check, for a person who looks for the mistake;
 * `PostbackUrl.parse` stops at the first. The text may be anything; if no finding is `wrong`, `parse` accepts it. Nothing
 * is sent, and no message repeats a token, a key or a secret.
 * @throws ConfigError the options are wrong.
 * @example
 * ```ts
 * import { explainPostbackUrl } from '@lead-distribution/advertiser-sdk/explain'
 *
 * const findings = await explainPostbackUrl(postbackUrl, { baseUrl: 'https://acme.leads.example/api/v1' })
 * for (const { verdict, message } of findings) if (verdict === 'wrong') report(message)
 * ```
 */ // Spec 4.3
export async function explainPostbackUrl(raw: string, options: ExplainOptions): Promise<PostbackFinding[]> {
  checkOptions('`explainPostbackUrl`', options, knownOptions)
  const base = resolveBaseUrl({ baseUrl: options.baseUrl })
  const diagnoseSignature = createTokenDiagnosis(options)
  const text = typeof raw === 'string' ? raw : ''
  const { finding, url } = diagnoseUrl(text)
  if (!url) return [finding]
  const query = url.searchParams
  const path = diagnosePath(url, base)
  const lead = path.leadId === undefined ? undefined : diagnoseLeadId(path.leadId)
  const leadId = lead?.verdict === 'ok' ? path.leadId : undefined
  const findings = [
    strict(finding),
    strict(diagnoseOrigin(url, base)),
    path.finding,
    lead,
    diagnoseKey(query),
    diagnoseTokenParameter(query) ?? (await diagnoseSignature(query.get('token') ?? '', leadId)),
    diagnoseName(query, options.vocabulary),
    diagnoseRef(query),
    diagnoseParameters(query),
  ].filter(each => each !== undefined)
  return findings.some(({ verdict }) => verdict === 'wrong') ? findings : [parsed(text, options), ...findings.slice(1)]
}

/** Turns a warning into an error: the service tolerates more than `PostbackUrl.parse`, which sends the URL unchanged. */
function strict(finding: PostbackFinding): PostbackFinding {
  return finding.verdict === 'ok' ? finding : { ...finding, verdict: 'wrong' }
}

/** Returns the result of `PostbackUrl.parse` for a text in which nothing else is wrong. */
function parsed(text: string, { baseUrl }: ExplainOptions): PostbackFinding {
  const found = findingOf('url')
  try {
    checkPostback(text, baseUrl)
    return found('ok', 'It is a postback URL of the service.')
  } catch (error) {
    return found('wrong', (error as Error).message)
  }
}

/** Checks that the event is known and in the client's own vocabulary. */
function diagnoseName(query: URLSearchParams, vocabulary: Vocabulary = 'known'): PostbackFinding {
  const finding = diagnoseEvent(query, true)
  const event = query.get('event')
  const own = eventsOf(vocabulary)
  if (finding.verdict !== 'ok' || event === null || own.includes(event)) return finding
  const name = own.find(each => canonicalEvent(each) === canonicalEvent(event))
  const message = `The event ${event} is a name of the other list. It is sent unchanged; this client calls it ${name}.`
  return { ...finding, verdict: 'warning', message }
}

type TokenDiagnosis = (token: string, leadId: string | undefined) => Promise<PostbackFinding> | PostbackFinding

/** Creates the check of a token, by the secret if there is one. */
function createTokenDiagnosis(options: ExplainOptions): TokenDiagnosis {
  const { secret, advertiser_id, lead_ids: otherLeadIds = [] } = options
  const { hash, joiner, encoding } = options
  const byWriting = (token: string, advice: string) =>
    diagnoseTokenWriting(token) ?? findingOf('token')('ok', `There is a token. ${advice}`)
  if (secret === undefined && advertiser_id === undefined) {
    return token => byWriting(token, 'Set `secret` and `advertiser_id` to check it.')
  }
  const stated = { hash, joiner, encoding }
  const open = (['hash', 'joiner', 'encoding'] as const).filter(part => stated[part] === undefined)
  const { hash: usualHash, joiner: usualJoiner, encoding: usualEncoding } = usualTokenFormat
  const format = { hash: hash ?? usualHash, joiner: joiner ?? usualJoiner, encoding: encoding ?? usualEncoding }
  const signer = { name: 'this advertiser', advertiser_id: advertiser_id ?? '', postback_secret: secret ?? '' }
  checkTokenSource([signer.postback_secret], signer.advertiser_id, format)
  return (token, sentLeadId) =>
    sentLeadId === undefined
      ? byWriting(token, 'It cannot be checked without a lead_id.')
      : diagnoseToken(token, {
          lead_id: canonicalUuid(sentLeadId),
          sentLeadId,
          having: [signer],
          others: [],
          otherLeadIds,
          format,
          open,
        })
}
