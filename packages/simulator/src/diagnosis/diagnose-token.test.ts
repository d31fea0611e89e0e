import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { diagnosePostback } from './diagnose-postback.ts'
import { origin, pixelWorld } from './postback.fixture.ts'

const world = await pixelWorld()
const token = await world.tokenOf(0)
const { leads } = world
const [alba, brisa] = world.account.advertisers
const secret = alba?.postback_secret ?? ''
const advertiserId = alba?.advertiser_id ?? ''

/** Returns the finding for a token; `written` is the token as written in the query. */
async function found(written: string | undefined, of = world, leadId: string = leads.ours): Promise<string> {
  const query = written === undefined ? '' : `token=${written}&`
  const text = `${origin}/api/v1/lead/${leadId}/status?${query}event=approved`
  const findings = await diagnosePostback(text, of.knowledge)
  const finding = findings.find(({ check }) => check === 'token')
  expect((await of.call(text)) === 401).toBe(
    findings.some(({ verdict, check }) => verdict === 'wrong' && check !== 'event'),
  )
  return `${finding?.verdict}: ${finding?.message}`
}

/** Computes a token with an independent implementation. */
const made = (key: string, hash = 'sha256', joiner = ':') =>
  createHmac(hash, key).update(`${leads.ours}${joiner}${advertiserId}`).digest('hex')

describe('a token made in another way', () => {
  it.each([
    ['with another secret', made('another secret')],
    ['with another hash', made(secret, 'sha512')],
    ['with another joiner', made(secret, 'sha256', '-')],
  ])('is reported with the expected format: made %s', async (_, written) => {
    expect(await found(written)).toBe(
      "wrong: The token matches no advertiser that has this lead: a valid one is HMAC-SHA-256 over {lead_id}:{advertiser_id}, in hex, keyed with the advertiser's postback_secret. This one was made with another secret or changed in transit: use the URL as it was delivered.",
    )
  })

  it("is compared according to the account's interpretation", async () => {
    const other = await pixelWorld({ token_format: { hash: 'SHA-512', joiner: '--', encoding: 'base64url' } })
    expect(await found(await other.tokenOf(0), other)).toBe('ok: It is the token of Crédito Alba for this lead.')
    expect(await found(token, other)).toMatch(
      /^wrong: The token matches no advertiser that has this lead: a valid one is HMAC-SHA-512 over \{lead_id\}--\{advertiser_id\}, in base64url/,
    )
  })
})

describe('a token that is valid elsewhere', () => {
  it("is reported as another advertiser's, or another lead's", async () => {
    expect(await found(await world.tokenOf(2))).toBe('ok: It is the token of Caja Cumbre for this lead.')
    expect(await found(await world.tokenOf(1))).toBe(
      `wrong: It is the token of ${brisa?.name}, which does not have this lead.`,
    )
    expect(await found(await world.tokenOf(0, leads.other))).toBe(
      'wrong: It is the token of Crédito Alba for another lead: each lead has its own postback URL.',
    )
  })

  it.each([
    ['has spaces or line ends: remove them', `${token}%0A`],
    ['has quotes or brackets around it: remove them', `%22${token}%22`],
    [
      'was URL-encoded twice: use the URL as it was delivered',
      token.replace(/^./, first => `%25${first.charCodeAt(0).toString(16)}`),
    ],
    ['is cut short: it has 63 of 64 characters', token.slice(0, -1)],
    ['has extra characters at its end: it should end after 64 characters', `${token}%26event`],
  ])('%s', async (mistake, written) => {
    expect(await found(written)).toBe(`wrong: The token of Crédito Alba ${mistake}.`)
  })
})

describe('a text that is not a token', () => {
  it.each([
    [undefined, /^wrong: The parameter `token` is missing: use the URL/],
    [secret, /^wrong: The token is the postback secret itself/],
    ['sandbox_adv_demo1_0000000000000000', /^wrong: The token is an API key/],
    [
      'x',
      /^wrong: The token matches no advertiser that has this lead: a valid one is HMAC-SHA-256 over \{lead_id\}:\{advertiser_id\}/,
    ],
    ['x'.repeat(100_000), /^wrong: The token matches no advertiser/],
  ])('%s', async (written, message) => {
    expect(await found(written)).toMatch(message)
  })

  it('cannot be checked for an unknown lead', async () => {
    expect(await found(token, world, leads.unknown)).toMatch(/^warning: The token cannot be checked/)
  })
})

describe('the findings of a URL', () => {
  it('contain no token, secret or other data from the URL', async () => {
    const secrets = world.account.advertisers.map(({ postback_secret }) => postback_secret)
    const key = 'sandbox_adv_demo1_0000000000000000'
    const texts = [token, token.slice(1), await world.tokenOf(1), await world.tokenOf(2, leads.other), ...secrets, key]
    for (const text of texts)
      for (const url of [
        `${origin}/api/v1/lead/${leads.ours}/status?token=${text}&event=${text}&ref=${text}&apikey=${text}&${text}=1&${text}=2`,
        `${origin}/api/v1/lead/${text}/status?tokens=${text}`,
        `http://${text}@127.0.0.1:4010/${text}#${text}`,
        `${origin}/${text}`,
        text,
      ]) {
        const messages = JSON.stringify(await diagnosePostback(url, world.knowledge))
        for (const hidden of [...texts, ...secrets]) expect(messages).not.toContain(hidden)
      }
  })
})
