import { describe, expect, it } from 'vitest'
import { handMadeTime, noon } from '../ports.fixture.ts'
import { createTenantClock } from './clock.ts'

describe("a tenant's clock", () => {
  it('goes with real time, as far ahead of it as it was put', async () => {
    const time = handMadeTime()
    const clock = createTenantClock(time.clock, { mode: 'running', ahead_ms: 5000 })
    expect(clock.now()).toBe(noon + 5000)
    await time.advance(1)
    expect(clock.now()).toBe(noon + 5001)
  })

  it('stays where it is frozen, and goes on from there', async () => {
    const time = handMadeTime()
    const clock = createTenantClock(time.clock, { mode: 'frozen', now: 7 })
    await time.advance(1000)
    expect(clock.now()).toBe(7)
    clock.restore({ mode: 'running', ahead_ms: 7 - time.clock.now() })
    await time.advance(1)
    expect([clock.now(), clock.state().mode]).toEqual([8, 'running'])
  })

  it('needs no timer', () => {
    const time = handMadeTime()
    createTenantClock(time.clock, { mode: 'running', ahead_ms: 0 }).now()
    expect(time.waiting()).toBe(0)
  })
})
