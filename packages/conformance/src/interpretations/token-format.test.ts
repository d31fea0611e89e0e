import { leadToken } from '@lead-distribution/contract'
import { expect, it } from 'vitest'
import { tokenFormats, tokenLooks } from './token-format.ts'

const subject = {
  lead_id: 'd1f5c1f2-7a0c-4d0e-9d55-0b6a7a1c2e01',
  advertiser_id: '7a0cd1f5-c1f2-4d0e-9d55-0b6a7a1c2e02',
  postback_secret: 'the secret of these tests',
}

it('makes another token of every format', async () => {
  const tokens = await Promise.all(tokenFormats.map(format => leadToken(subject, format)))
  expect(new Set(tokens).size).toBe(tokenFormats.length)
})

it.each(tokenFormats.filter(({ joiner }) => joiner === ':'))(
  'recognizes $hash in $encoding by its letters',
  async format => {
    const looks = tokenLooks(await leadToken(subject, format))
    expect(looks).toBe(`has the letters and the length of ${format.hash} in ${format.encoding}`)
  },
)

it.each(['', 'abc', 'g'.repeat(64 + 1), '0'.repeat(63)])('knows no hash of %j', token => {
  expect(tokenLooks(token)).toBe('has the length of no usual hash')
})
