import { createHmac } from 'node:crypto'
import type { Advertiser, Settings } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { advertiser } from './facts.fixture.ts'
import { createTokenReader } from './report.ts'

const subject = {
  lead_id: '40000000-0000-4000-8000-000000000001',
  advertiser_id: '30000000-0000-4000-8000-000000000001',
  postback_secret: 'señal – 🔑',
}
const plain: Settings['token_format'] = { hash: 'SHA-256', joiner: ':', encoding: 'hex' }

/** The token as Node's own crypto makes it. */
function nodeToken({ hash, joiner, encoding }: Settings['token_format'], of = subject): string {
  return createHmac(hash.replace('-', '').toLowerCase(), of.postback_secret)
    .update(`${of.lead_id}${joiner}${of.advertiser_id}`)
    .digest(encoding)
}

describe('the advertiser of a token', () => {
  const lead_id = subject.lead_id
  const readToken = createTokenReader()
  const advertisers = [advertiser(1), advertiser(2), advertiser(3)]
  const account = (token_format: Settings['token_format'] = plain, given = advertisers) => ({
    advertisers: given,
    settings: { token_format },
  })
  const tokenOf = (of: Advertiser, format = plain, lead = lead_id) => nodeToken(format, { ...of, lead_id: lead })
  const [first] = advertisers as [Advertiser]

  it('is found among those of the account [5/rule-2]', async () => {
    for (const each of advertisers) expect(await readToken(tokenOf(each), lead_id, account())).toBe(each)
  })

  it('is found by the format and the secret that hold now', async () => {
    const sha512: Settings['token_format'] = { hash: 'SHA-512', joiner: '', encoding: 'base64url' }
    expect(await readToken(tokenOf(first, sha512), lead_id, account(sha512))).toBe(first)
    expect(await readToken(tokenOf(first, sha512), lead_id, account())).toBeUndefined()
    const changed = { ...first, postback_secret: 'another secret' }
    expect(await readToken(tokenOf(first), lead_id, account(plain, [changed]))).toBeUndefined()
    expect(await readToken(tokenOf(changed), lead_id, account(plain, [changed]))).toBe(changed)
  })

  it('is none for a token that is missing, whatever was read before', async () => {
    for (let time = 0; time < 2; time++) {
      expect(await readToken(tokenOf(first), lead_id, account())).toBe(first)
      const sha512: Settings['token_format'] = { ...plain, hash: 'SHA-512' }
      expect(await readToken(tokenOf(first, sha512), lead_id, account(sha512))).toBe(first)
    }
    expect(await readToken('', lead_id, account())).toBeUndefined()
  })

  it.each([
    ['no token', () => ''],
    ['a token that is cut short', (token: string) => token.slice(0, -1)],
    ['a token with more after it', (token: string) => `${token}0`],
    ['a token in capital letters', (token: string) => token.toUpperCase()],
    [
      'a token with one digit changed',
      (token: string) => (token.startsWith('0') ? `1${token.slice(1)}` : `0${token.slice(1)}`),
    ],
  ])('is none for %s [5/rule-3]', async (_title, change) => {
    expect(await readToken(change(tokenOf(first)), lead_id, account())).toBeUndefined()
  })

  it('is none for the token of another lead, and none where there is none [4.3/token]', async () => {
    const elsewhere = tokenOf(first, plain, '40000000-0000-4000-8000-000000000002')
    expect(await readToken(elsewhere, lead_id, account())).toBeUndefined()
    expect(await readToken('', lead_id, account(plain, []))).toBeUndefined()
  })
})
