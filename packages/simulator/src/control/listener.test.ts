import { expect, it } from 'vitest'
import { settled } from '../ports.fixture.ts'
import { openTenantClient } from './tenant-client.fixture.ts'

it('the next callback marks a silent listener as disconnected, and the listener may reconnect', async () => {
  const { control, done, get, time, leads, submit, trigger } = await openTenantClient()
  const { listener_id } = await done('POST', '/listener', { forward_to: 'http://localhost:3000/' })
  const take = () => control('POST', `/listener/${listener_id}/take`)
  const isConnected = async () => (await get('')).listener.connected
  const first = take()
  await time.advance(5_000)
  expect((await first).json).toEqual({ deliveries: [] })
  expect(await isConnected()).toBe(true)

  await time.advance(20_000)
  const { lead_id } = await submit(leads.distributed)
  await trigger(lead_id, 'approved')
  const [held] = (await get('/callbacks')).callbacks
  expect(held).toMatchObject({ state: 'pending', held: 'listener', attempts: [] })
  expect(await isConnected()).toBe(false)

  const [delivery] = (await take()).json.deliveries
  expect(delivery).toMatchObject({ lead_id, attempt: 1, timeout_ms: 10_000 })
  await done('POST', `/listener/${listener_id}/deliveries/${delivery.delivery_id}`, { error: 'connection refused' })
  await settled()
  const [tried] = (await get('/callbacks')).callbacks
  expect(tried).toMatchObject({ state: 'pending', attempts: [{ error: 'connection refused' }] })
})

it('a disconnected listener can be replaced, and then gets no more callbacks', async () => {
  const { control, done, get } = await openTenantClient()
  const { listener_id } = await done('POST', '/listener', { forward_to: 'http://localhost:3000/' })
  const { listener_id: next } = await done('POST', '/listener', { forward_to: 'http://localhost:4000/' })
  expect((await get('')).listener).toMatchObject({ listener_id: next, forward_to: 'http://localhost:4000/' })
  expect((await control('POST', `/listener/${listener_id}/take`)).status).toBe(404)
  expect((await control('DELETE', `/listener/${listener_id}`)).status).toBe(404)
})
