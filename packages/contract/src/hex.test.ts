import { expect, it } from 'vitest'
import { toHex } from './hex.ts'

it('writes each byte as two digits', () => {
  expect(toHex(Uint8Array.of(0, 9, 16, 171, 255))).toBe('000910abff')
  expect(toHex(new Uint8Array())).toBe('')
})
