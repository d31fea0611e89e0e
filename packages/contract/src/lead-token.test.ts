import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalText, leadToken } from './lead-token.ts'

const hashes = ['SHA-256', 'SHA-384', 'SHA-512'] as const
const encodings = ['hex', 'base64', 'base64url'] as const
const lead_id = '40000000-0000-4000-8000-000000000001'
const advertiser_id = '30000000-0000-4000-8000-000000000001'

it.each(hashes.flatMap(hash => encodings.map(encoding => ({ hash, encoding }))))(
  'matches the HMAC of node:crypto, by $hash in $encoding, for any secret and joiner [5/rule-1]',
  async ({ hash, encoding }) => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), text, async (postback_secret, joiner) => {
        const expected = createHmac(hash.replace('-', '').toLowerCase(), postback_secret)
          .update(`${lead_id}${joiner}${advertiser_id}`)
          .digest(encoding)
        expect(await leadToken({ lead_id, advertiser_id, postback_secret }, { hash, joiner, encoding })).toBe(expected)
      }),
      { numRuns: 30 },
    )
  },
)

describe('the constant-time comparison', () => {
  it('agrees with ===', async () => {
    const text = fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '\0', 'é') })
    await fc.assert(
      fc.property(text, text, (a, b) => {
        expect(equalText(a, b)).toBe(a === b)
      }),
      { numRuns: 1000 },
    )
  })
})
