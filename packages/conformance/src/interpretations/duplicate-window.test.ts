import { expect, it } from 'vitest'
import { atLeast, durationText, nearestDuration, secondsText } from './duplicate-window.ts'

it.each([
  [0, 'PT0S'],
  [249, 'PT0.2S'],
  [1000, 'PT1S'],
  [61_040, 'PT61S'],
])('writes %i ms to the tenth of a second', (ms, text) => {
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
])('takes a wait of %i ms for the nearest half second, and leaves a short one unchanged', (ms, text) => {
  expect(nearestDuration(ms)).toBe(text)
})
