import { acceptedPixelEvents, leadToken, type TokenFormat } from '@lead-distribution/contract'
import { missingNeed } from '../mismatch.ts'
import type { Target } from '../target.ts'
import { type Found, probeOf } from './probe.ts'

/** Point 11 (Spec 5): by which hash is the token made, joined how, written how? */
export const tokenFormat = probeOf('token_format', [], async target => {
  const given = await ofGivenUrl(target)
  if (given?.[0]) return given
  const missing = missingNeed(['advertiser', 'postback_secret'], target)
  if (missing)
    return given ?? [undefined, `${missing} A postback URL of the target shows its letters: give --postback-url.`]
  return byFiring(target)
})

/** The token format that a postback URL of the target shows. */
async function ofGivenUrl({ facts }: Target): Promise<Found<'token_format'> | undefined> {
  if (facts.postback_url === undefined) return undefined
  const { pathname, searchParams } = new URL(facts.postback_url)
  const token = searchParams.get('token') ?? ''
  const lead_id = decodeURIComponent(/\/lead\/([^/]+)\/status$/.exec(pathname)?.[1] ?? '').toLowerCase()
  for (const { advertiser_id, postback_secret } of facts.advertisers)
    for (const format of postback_secret ? tokenFormats : [])
      if ((await leadToken({ lead_id, advertiser_id, postback_secret: postback_secret ?? '' }, format)) === token)
        return [format, 'The token of the given postback URL is made so.']
  return [
    undefined,
    `The token of the given postback URL ${tokenLooks(token)}; no usual joiner leads to it with a secret that is known.`,
  ]
}

/** What a call is answered whose token is right: the event may still be missing. */
const opened = [200, 400, 422]

/** Fires the pixel by one token after the other, on a lead of the advertiser. */
async function byFiring(target: Target): Promise<Found<'token_format'>> {
  const { advertiser_id = '', postback_secret = '' } = target.facts.advertisers[0] ?? {}
  const lead_id = await target.distributedLead()
  const fire = async (token: string, event: string) =>
    (await target.call('GET', `/lead/${lead_id}/status?token=${encodeURIComponent(token)}${event}`)).status
  // Where the token is judged before the event, no event needs to be reported.
  const event = (await fire('wrong', '')) === 401 ? '' : `&event=${acceptedPixelEvents[0]}`
  for (const format of tokenFormats) {
    const status = await fire(await leadToken({ lead_id, advertiser_id, postback_secret }, format), event)
    if (opened.includes(status))
      return [format, `Such a token opens the pixel on a separate lead, which ${described(format)}.`]
  }
  return [
    undefined,
    `None of ${tokenFormats.length} tokens opens the pixel of a lead: it is made otherwise, or the lead is of another advertiser; --postback-url gives a token to look at.`,
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
  // Not in base64: without padding, one token does not show which of the two spellings it has.
  ['SHA-384', 'hex'],
] as const

/** How a token may be made, the likeliest first. No two of them make the same token. */
export const tokenFormats: readonly TokenFormat[] = writings.flatMap(([hash, encoding]) =>
  joiners.map(joiner => ({ hash, joiner, encoding })),
)

/** How many characters each hash comes to. */
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

/** What the letters of a token show of its format, as a part of a sentence. */
export function tokenLooks(token: string): string {
  const looks = lengths.find(([letters, length]) => token.length === length && letters.test(token))?.[2]
  return looks === undefined ? 'has the length of no usual hash' : `has the letters and the length of ${looks}`
}
