import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { createInbox, takingInbox } from './inbox.ts'

const callback = { received_at: noon, lead_id: 'l1', event: 'registration', target: '/', headers: {} }

async function openInbox() {
  const storage = createMemoryStorage()
  await storage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} }))
  const memory = storage.of('qa')
  const inbox = createInbox(memory, takingInbox)
  const kept = () => memory.transact(async tables => (await tables.readDocuments()).inbox)
  return { inbox, kept }
}

describe('an inbox', () => {
  it('takes what comes, in order', async () => {
    const { inbox } = await openInbox()
    expect(await inbox.take(callback)).toBe(200)
    await inbox.take({ ...callback, event: 'approved' })
    expect((await inbox.list()).map(({ event, status }) => [event, status])).toEqual([
      ['registration', 200],
      ['approved', 200],
    ])
  })

  it('fails as often as its mode sets, then takes again, and stores how often is left', async () => {
    const { inbox, kept } = await openInbox()
    await inbox.setMode({ status: 503, times: 2 })
    expect([await inbox.take(callback), await kept()]).toEqual([503, { status: 503, times: 1 }])
    expect([await inbox.take(callback), await kept()]).toEqual([503, takingInbox])
    expect([await inbox.take(callback), inbox.mode()]).toEqual([200, takingInbox])
    expect((await inbox.list()).map(({ status }) => status)).toEqual([503, 503, 200])
  })

  it('fails until its mode changes where no number is named', async () => {
    const { inbox } = await openInbox()
    await inbox.setMode({ status: 500 })
    for (let time = 0; time < 3; time++) expect(await inbox.take(callback)).toBe(500)
    await inbox.setMode(takingInbox)
    expect(await inbox.take(callback)).toBe(200)
  })

  it('fails no more often on callbacks at once', async () => {
    const { inbox } = await openInbox()
    await inbox.setMode({ status: 500, times: 3 })
    const statuses = await Promise.all(Array.from({ length: 8 }, () => inbox.take(callback)))
    expect(statuses.filter(status => status === 500)).toHaveLength(3)
  })
})
