import { acceptedPixelEvents, leadToken, type TokenFormat } from '@lead-distribution/contract'
import { missingNeed } from '../case.ts'
import type { Target } from '../target.ts'
import { type Found, probeWith } from './probe.ts'

export const tokenFormat = probeWith<'token_format'>([], async target => {
  const given = await ofGivenUrl(target)
  if (given?.[0]) return given
  const missing = missingNeed(['advertiser', 'postback_secret'], target)
  if (missing) return given ?? [undefined, `${missing} Or pass a postback URL of the target with --postback-url.`]
  return byFiring(target)
})

/** Determines the token format from a postback URL that the target issued. */
async function ofGivenUrl({ facts }: Target): Promise<Found<'token_format'> | undefined> {
  if (facts.postback_url === undefined) return undefined
  const { pathname, searchParams } = new URL(facts.postback_url)
  const token = searchParams.get('token') ?? ''
  const lead_id = decodeURIComponent(/\/lead\/([^/]+)\/status$/.exec(pathname)?.[1] ?? '').toLowerCase()
  for (const { advertiser_id, postback_secret } of facts.advertisers)
    for (const format of postback_secret ? tokenFormats : [])
      if ((await leadToken({ lead_id, advertiser_id, postback_secret: postback_secret ?? '' }, format)) === token)
        return [format, "The given postback URL's token has this format."]
  return [
    undefined,
    `The given postback URL's token ${tokenLooks(token)}, but no common joiner and known secret produce it.`,
  ]
}

/** Statuses that prove the token valid. The event may still be missing. */
const opened = [200, 400, 422]

/** Tries the tokens one by one on a lead of the advertiser. */
async function byFiring(target: Target): Promise<Found<'token_format'>> {
  const { advertiser_id = '', postback_secret = '' } = target.facts.advertisers[0] ?? {}
  const lead_id = await target.distributedLead()
  const fire = async (token: string, event: string) =>
    (await target.call('GET', `/lead/${lead_id}/status?token=${encodeURIComponent(token)}${event}`)).status
  // If the service checks the token before the event, no event needs to be reported.
  const event = (await fire('wrong', '')) === 401 ? '' : `&event=${acceptedPixelEvents[0]}`
  for (const format of tokenFormats) {
    const status = await fire(await leadToken({ lead_id, advertiser_id, postback_secret }, format), event)
    if (opened.includes(status))
      return [format, `On a separate lead, the pixel accepts the token that ${described(format)}.`]
  }
  return [
    undefined,
    `The lead's pixel accepts none of ${tokenFormats.length} tokens: either the format is another one, or another advertiser has the lead. To determine the format, pass a postback URL with --postback-url.`,
  ]
}

function described({ hash, joiner, encoding }: TokenFormat): string {
  return `is the HMAC-${hash} over lead, ${joiner === '' ? 'no joiner' : `"${joiner}"`} and advertiser in ${encoding}`
}

const joiners = [':', '.', '-', '|', '', '_', '/', ',', ';', ' ']
const writings = [
  ['SHA-256', 'hex'],
  ['SHA-256', 'base64url'],
  ['SHA-256', 'base64'],
  ['SHA-512', 'hex'],
  ['SHA-512', 'base64url'],
  ['SHA-512', 'base64'],
  // SHA-384 in hex only: 48 bytes need no padding, so a token may be the same in base64 and base64url.
  ['SHA-384', 'hex'],
] as const

/** The possible token formats, most likely first. No two of them produce the same token. */
export const tokenFormats: readonly TokenFormat[] = writings.flatMap(([hash, encoding]) =>
  joiners.map(joiner => ({ hash, joiner, encoding })),
)

/** The character set and length of each hash. */
const lengths: readonly (readonly [letters: RegExp, length: number, looks: string])[] = [
  [/^[0-9a-f]+$/, 64, 'SHA-256 in hex'],
  [/^[0-9a-f]+$/, 128, 'SHA-512 in hex'],
  [/^[0-9a-f]+$/, 96, 'SHA-384 in hex'],
  [/^[\w-]+$/, 43, 'SHA-256 in base64url'],
  [/^[\w-]+$/, 86, 'SHA-512 in base64url'],
  [/^[\w+/-]+$/, 64, 'SHA-384 in base64 or base64url'],
  [/^[a-z0-9+/]+=$/i, 44, 'SHA-256 in base64'],
  [/^[a-z0-9+/]+==$/i, 88, 'SHA-512 in base64'],
]

/** Describes the format that a token's characters suggest, as part of a sentence. */
export function tokenLooks(token: string): string {
  const looks = lengths.find(([letters, length]) => token.length === length && letters.test(token))?.[2]
  return looks === undefined ? 'looks like no common hash' : `looks like ${looks}`
}
