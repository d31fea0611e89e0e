import { expect, it } from 'vitest'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createTenant } from './create-tenant.ts'
import { storageUntil } from './tenant-registry.ts'

it('a storage lets nothing of a tenant through behind its end, and finishes what was begun', async () => {
  const all = createMemoryStorage()
  await all.addTenant(await createTenant({ tenant: 'mine', seed: '1', created_at: 0, settings: {} }))
  let ended = false
  const mine = storageUntil(all, () => ended).of('mine')
  const play = (plays: number) => mine.transact(tables => tables.setChain('x', plays))
  const begun = play(1)
  ended = true
  await expect(play(2)).rejects.toThrow('The tenant mine was deleted.')
  await begun
  expect(await all.of('mine').transact(tables => tables.readChain('x'))).toBe(1)
})
