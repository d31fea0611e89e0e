import { expect, it } from 'vitest'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant } from '../adapters/tenant.ts'

onEveryAdapter('a receiver that never answers', adapter => {
  it.each([
    ['a reset', '/reset'],
    ['a restore', '/snapshots/before/restore'],
  ])('does not hold up %s, and what comes of the try touches nothing behind it', async (_what, path) => {
    await using receiver = await openReceiver(() => undefined)
    const tenant = await createTenant(adapter, {
      callback_url: receiver.url,
      settings: { callback_timeout: 'PT1H', callback_retries: ['PT5S'] },
    })
    await tenant.control('POST', '/snapshots', { body: { name: 'before' } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'registration')
    await expect.poll(() => receiver.received.length, { interval: 5, timeout: 5000 }).toBe(1)
    const put = await tenant.control('POST', path)
    expect(put.status).toBe(200)
    expect((await tenant.control('GET', '/callbacks')).json).toEqual({ callbacks: [] })
    expect((await tenant.control('GET', '/leads')).json).toEqual({ leads: [] })
  })
})
