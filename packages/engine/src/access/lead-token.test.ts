import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TokenFormat } from '../settings.ts'
import { findTokenSubject, leadToken } from './lead-token.ts'

const subject = {
  lead_id: '40000000-0000-4000-8000-000000000001',
  advertiser_id: '30000000-0000-4000-8000-000000000001',
  postback_secret: 'señal – 🔑',
}
const hashes = ['SHA-256', 'SHA-512'] as const
const joiners = [':', '', '.', '|', '--', 'ñ', '🔗']
const encodings = ['hex', 'base64url'] as const
const formats: TokenFormat[] = hashes.flatMap(hash =>
  joiners.flatMap(joiner => encodings.map(encoding => ({ hash, joiner, encoding }))),
)
const plain: TokenFormat = { hash: 'SHA-256', joiner: ':', encoding: 'hex' }

/** The token as Node's own crypto makes it. */
function nodeToken({ hash, joiner, encoding }: TokenFormat, of = subject): string {
  return createHmac(hash.replace('-', '').toLowerCase(), of.postback_secret)
    .update(`${of.lead_id}${joiner}${of.advertiser_id}`)
    .digest(encoding)
}

describe('the token of a lead', () => {
  it.each(formats)('is the HMAC that node:crypto makes, by $hash, "$joiner" and $encoding [5/rule-1]', async format => {
    expect(await leadToken(subject, format)).toBe(nodeToken(format))
  })

  it('is the same as of node:crypto for any secret [5/rule-1]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.constantFrom(...formats),
        async (secret, format) => {
          const of = { ...subject, postback_secret: secret }
          expect(await leadToken(of, format)).toBe(nodeToken(format, of))
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('whose token it is', () => {
  const others = [1, 2, 3].map(number => ({
    ...subject,
    advertiser_id: `30000000-0000-4000-8000-00000000000${number}`,
    postback_secret: `secret ${number}`,
  }))

  it('is found among the subjects [5/rule-2]', async () => {
    for (const other of others) expect(await findTokenSubject(nodeToken(plain, other), others, plain)).toBe(other)
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
  ])('matches no subject for %s [5/rule-3]', async (_title, change) => {
    expect(await findTokenSubject(change(nodeToken(plain, others[0])), others, plain)).toBeUndefined()
  })

  it('matches no subject for the token of another lead, and none where there is none [4.3/token]', async () => {
    const elsewhere = { ...subject, lead_id: '40000000-0000-4000-8000-000000000002' }
    expect(await findTokenSubject(nodeToken(plain, elsewhere), [subject], plain)).toBeUndefined()
    expect(await findTokenSubject('', [], plain)).toBeUndefined()
  })
})
