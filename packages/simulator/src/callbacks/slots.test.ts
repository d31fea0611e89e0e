import { describe, expect, it } from 'vitest'
import { manualTime } from '../ports.fixture.ts'
import { createCallbackSlots } from './slots.ts'

const limits = { maxTotal: 256, maxPerHost: 128, maxUnanswered: 64, restMs: 250, maxHosts: 10 }

/** Tenants that take slots, and a record of those notified of free ones. */
function slotsFor(count: number, changed: Partial<typeof limits> = {}) {
  const time = manualTime()
  const slots = createCallbackSlots(time.timer, { ...limits, ...changed })
  const notified: number[] = []
  const tenants = Array.from({ length: count }, (_, index) => slots.of(() => void notified.push(index)))
  return { time, notified, tenants: tenants as [(typeof tenants)[0], ...typeof tenants] }
}

describe('callback slots', () => {
  it('are at most 64 for a single tenant, however often it asks', () => {
    const [tenant] = slotsFor(1).tenants
    expect([tenant.take('a:1'), tenant.take('a:1'), tenant.take('b:1')]).toEqual([64, 0, 96 - 64])
  })

  it('are never all taken by hanging receivers: a tenant takes no more than it leaves free', () => {
    const { tenants } = slotsFor(9)
    expect(tenants.map((tenant, index) => tenant.take(`host-${index}:1`))).toEqual([64, 64, 64, 32, 16, 8, 4, 2, 1])
  })

  it('are bounded per host, across tenants', () => {
    const { tenants } = slotsFor(12)
    const taken = tenants.map(tenant => tenant.take('a:1'))
    expect(taken).toEqual([64, 32, 16, 8, 4, 2, 1, 1, 0, 0, 0, 0])
    expect(taken.reduce((sum, count) => sum + count)).toBe(128)
  })

  it('are shared fairly with waiting tenants: one that holds many does not get the next one', () => {
    const { tenants, notified } = slotsFor(9)
    for (const tenant of tenants) tenant.take('a:1')
    const [first, last = expect.fail()] = [tenants[0], tenants.at(-1)]
    last.wait('a:1')
    first.wait('a:1')
    first.end('a:1', true)
    expect([notified, first.take('a:1'), last.take('a:1')]).toEqual([[8], 0, 1])
  })

  it('notify a waiting tenant once, even if they were taken and not used', () => {
    const { tenants, notified } = slotsFor(2, { maxPerHost: 1 })
    const [first, second = expect.fail()] = tenants
    expect([first.take('a:1'), second.take('a:1')]).toEqual([1, 0])
    second.wait('a:1')
    second.wait('a:1')
    first.giveBack('a:1', 1)
    second.take('a:1')
    second.giveBack('a:1', 1)
    expect(notified).toEqual([1])
  })

  it.each([
    [63, 64, 0],
    [64, 0, 1],
  ])('are paused or not after %i consecutive attempts without a response', (count, free, timers) => {
    const { time, tenants } = slotsFor(1)
    const [tenant] = tenants
    tenant.take('a:1')
    for (let n = 0; n < count; n++) tenant.end('a:1', false)
    tenant.giveBack('a:1', 64 - count)
    expect([tenant.take('a:1'), time.waiting()]).toEqual([free, timers])
  })

  it('are paused only for the host that does not respond, and only for a while', async () => {
    const { time, tenants, notified } = slotsFor(1)
    const [tenant] = tenants
    tenant.take('a:1')
    for (let n = 0; n < 64; n++) tenant.end('a:1', false)
    tenant.wait('a:1')
    expect(tenant.take('b:1')).toBe(64)
    tenant.giveBack('b:1', 64)
    await time.advance(249)
    expect([notified, tenant.take('a:1')]).toEqual([[], 0])
    await time.advance(1)
    expect([notified, tenant.take('a:1')]).toEqual([[0], 64])
  })

  it('forget the hosts that failed longest ago, so that memory stays bounded', () => {
    const { time, tenants } = slotsFor(1)
    const [tenant] = tenants
    const fail = (host: string, count = 1) => {
      tenant.take(host)
      for (let n = 0; n < count; n++) tenant.end(host, false)
      tenant.giveBack(host, 64 - count)
    }
    fail('a:1', 63)
    for (let port = 1; port <= 9; port++) fail(`b:${port}`)
    fail('a:1')
    expect(time.waiting()).toBe(1)
    fail('c:1', 63)
    for (let port = 1; port <= 10; port++) fail(`d:${port}`)
    fail('c:1')
    expect(time.waiting()).toBe(1)
  })

  it('are not paused if one of the attempts got a response', () => {
    const { time, tenants } = slotsFor(1)
    const [tenant] = tenants
    for (let n = 0; n < 300; n++) {
      tenant.take('a:1')
      for (let each = 0; each < 64; each++) tenant.end('a:1', each === 10)
    }
    expect(time.waiting()).toBe(0)
  })
})
