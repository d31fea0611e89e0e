import { leadToken } from '@lead-distribution/contract'
import { expect, it } from 'vitest'
import { atLeast, durationText, nearestDuration, secondsText } from './probe.ts'
import { tokenFormats, tokenLooks } from './token-format.ts'

it.each([
  [0, 'PT0S'],
  [249, 'PT0.2S'],
  [1000, 'PT1S'],
  [61_040, 'PT61S'],
])('formats %i ms to a tenth of a second', (ms, text) => {
  expect([durationText(ms), atLeast(ms), secondsText(ms)]).toEqual([
    text,
    `>= ${text}`,
    `${text.replace(/PT|S/g, '')} s`,
  ])
})

it.each([
  [104, 'PT0.1S'],
  [260, 'PT0.5S'],
  [1004, 'PT1S'],
  [1240, 'PT1S'],
  [1260, 'PT1.5S'],
  [30_100, 'PT30S'],
])('rounds a delay of %i ms to half a second, unless it is short', (ms, text) => {
  expect(nearestDuration(ms)).toBe(text)
})

const subject = {
  lead_id: 'd1f5c1f2-7a0c-4d0e-9d55-0b6a7a1c2e01',
  advertiser_id: '7a0cd1f5-c1f2-4d0e-9d55-0b6a7a1c2e02',
  postback_secret: 'the secret of these tests',
}

it('generates a different token in every format', async () => {
  const tokens = await Promise.all(tokenFormats.map(format => leadToken(subject, format)))
  expect(new Set(tokens).size).toBe(tokenFormats.length)
})

it.each(tokenFormats.filter(({ joiner }) => joiner === ':'))(
  'recognizes $hash in $encoding by its characters',
  async format => {
    const looks = tokenLooks(await leadToken(subject, format))
    expect(looks).toBe(`looks like ${format.hash} in ${format.encoding}`)
  },
)

it.each(['', 'abc', 'g'.repeat(64 + 1), '0'.repeat(63)])('recognizes no hash in %j', token => {
  expect(tokenLooks(token)).toBe('looks like no common hash')
})
