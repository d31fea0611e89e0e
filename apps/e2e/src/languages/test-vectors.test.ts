import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
import { expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'

const vectors = JSON.parse(readFileSync(join(root, 'docs/languages/test-vectors.json'), 'utf8'))

interface TokenVector extends Readonly<Record<'lead_id' | 'advertiser_id' | 'postback_secret' | 'joiner', string>> {
  readonly hash: string
  readonly encoding: 'hex' | 'base64' | 'base64url'
  readonly token: string
}

it('the tokens match those of another HMAC implementation', () => {
  expect(new Set(vectors.tokens.map(({ token }: TokenVector) => token)).size).toBe(12)
  for (const { lead_id, advertiser_id, postback_secret, hash, joiner, encoding, token } of vectors.tokens) {
    const hmac = createHmac(hash.replace('-', ''), Buffer.from(postback_secret, 'utf8'))
    expect(hmac.update(`${lead_id}${joiner}${advertiser_id}`).digest(encoding)).toBe(token)
  }
})

it("a callback URL keeps the publisher's query, and replaces the two parameters", () => {
  for (const { callback_url, lead_id, event, url } of vectors.callback_urls) {
    const [base, expected] = [new URL(callback_url), new URL(url)]
    for (const [name, value] of Object.entries({ lead_id, event })) base.searchParams.set(name, String(value))
    expect([...expected.searchParams].sort()).toEqual([...base.searchParams].sort())
    expect([expected.pathname, expected.hash]).toEqual([base.pathname, ''])
  }
})

interface SignatureVector {
  readonly case: string
  readonly valid: boolean
  readonly secret: string
  readonly now: number
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

it('the signatures are accepted or refused as the file states', () =>
  eachRow(
    vectors.callback_signatures.map((vector: SignatureVector) => [vector.case, vector] as const),
    async (_case: string, { secret, now, target, headers, valid }: SignatureVector) => {
      const signature = { secrets: [secret], now: () => new Date(now * 1000) }
      const verified = verifyCallback({ method: 'GET', url: target, headers }, { verify: { signature } })
      const accepted = await verified.then(
        () => true,
        () => false,
      )
      expect(accepted).toBe(valid)
    },
  ))
