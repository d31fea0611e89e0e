import { expect, it } from 'vitest'
import { newUuid } from './new-uuid.ts'

it('makes another random UUID each time', () => {
  const made = Array.from({ length: 100 }, newUuid)
  for (const uuid of made) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(made).size).toBe(made.length)
})
