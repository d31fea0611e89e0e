import { createHmac } from 'node:crypto'
import type { TokenFormat } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { PostbackUrl } from './postback-url.ts'
import { createTokenCheck } from './token-check.ts'

const baseUrl = 'https://acme.example.com/api/v1'
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const advertiser_id = '30000000-0000-4000-8000-0000000000AA'
const secret = 'señal – 🔑'
const hashes = ['SHA-256', 'SHA-384', 'SHA-512'] as const
const encodings = ['hex', 'base64', 'base64url'] as const
const formats = hashes.flatMap(hash =>
  [':', '', '🔗'].flatMap(joiner => encodings.map(encoding => ({ hash, joiner, encoding }))),
)
const plain = { hash: 'SHA-256', joiner: ':', encoding: 'hex' } as const

/** The token as Node's own crypto makes it. */
function nodeToken({ hash, joiner, encoding }: TokenFormat, key = secret): string {
  const content = `${lead_id}${joiner}${advertiser_id}`
  return createHmac(hash.replace('-', '').toLowerCase(), key).update(content).digest(encoding)
}

describe('a token', () => {
  it.each(formats)('is right by $hash, "$joiner" and $encoding, and by nothing else', async format => {
    const token = nodeToken(format)
    for (const each of formats) {
      const isRight = createTokenCheck({ ...each, secret, advertiser_id })
      // Some signatures read the same in both: they hold neither of the two letters that differ, and need no padding.
      expect(await isRight({ lead_id, token })).toBe(nodeToken(each) === token)
    }
  })

  it('is read from a postback URL as the service reads it', async () => {
    for (const format of formats) {
      const isRight = createTokenCheck({ ...format, secret, advertiser_id })
      const of = (token: string) => PostbackUrl.parse(`${baseUrl}/lead/${lead_id}/status?token=${token}`, { baseUrl })
      expect(await isRight(of(encodeURIComponent(nodeToken(format))))).toBe(true)
      expect(await isRight(of(`${encodeURIComponent(nodeToken(format))}0`))).toBe(false)
    }
  })

  it('is right by one of several secrets, while the secret is exchanged', async () => {
    const isRight = createTokenCheck({ ...plain, secret: ['old', 'new'], advertiser_id })
    expect(await isRight({ lead_id, token: nodeToken(plain, 'old') })).toBe(true)
    expect(await isRight({ lead_id, token: nodeToken(plain, 'new') })).toBe(true)
    expect(await isRight({ lead_id, token: nodeToken(plain) })).toBe(false)
  })

  it.each(['', 'x', nodeToken(plain).toUpperCase(), nodeToken(plain).slice(1), `${nodeToken(plain)} `])(
    'is wrong where it reads otherwise: %j',
    async token => {
      expect(await createTokenCheck({ ...plain, secret, advertiser_id })({ lead_id, token })).toBe(false)
    },
  )

  it('is wrong where it is no text, as a parameter that is missing or repeated', async () => {
    const isRight = createTokenCheck({ ...plain, secret, advertiser_id })
    for (const token of [undefined, [nodeToken(plain)], 7])
      expect(await isRight({ lead_id, token: token as never })).toBe(false)
    expect(await isRight({ lead_id: undefined as never, token: nodeToken(plain) })).toBe(false)
  })

  it('is asked of a PostbackUrl, and of no text of one', async () => {
    const isRight = createTokenCheck({ ...plain, secret, advertiser_id })
    for (const value of [`https://acme.example.com?token=${nodeToken(plain)}`, undefined, null, {}])
      await expect(isRight(value as never)).rejects.toMatchObject({ code: 'config' })
  })

  it('is valid only for its lead, in either letter case', async () => {
    const isRight = createTokenCheck({ ...plain, secret, advertiser_id })
    const token = nodeToken(plain)
    expect(await isRight({ lead_id: lead_id.toUpperCase(), token })).toBe(true)
    expect(await isRight({ lead_id: lead_id.replace('3f', '3e'), token })).toBe(false)
    expect(await createTokenCheck({ ...plain, secret, advertiser_id: lead_id })({ lead_id, token })).toBe(false)
  })
})

describe('the set-up', () => {
  it.each<[string, object]>([
    ['secret', { secret: '' }],
    ['secret', { secret: [] }],
    ['secret', { secret: ['a', ''] }],
    ['secret', { secret: undefined }],
    ['advertiser_id', { advertiser_id: undefined }],
    ['hash', { hash: 'sha256' }],
    ['hash', { hash: undefined }],
    ['joiner', { joiner: undefined }],
    ['encoding', { encoding: 'base32' }],
  ])('demands a %s that can be: %o', (option, change) => {
    expect(() => createTokenCheck({ ...plain, secret, advertiser_id, ...change } as never)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringMatching(`\`${option}\`.*(?!${secret})`) }),
    )
  })

  it('lists the formats that there are', () => {
    expect(() => createTokenCheck({ ...plain, encoding: 'base32', secret, advertiser_id } as never)).toThrow(
      '`encoding` must be one of hex, base64, base64url.',
    )
  })
})
