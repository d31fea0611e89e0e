import { it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { fuzzControlPlane, fuzzService } from './any-input.fixture.ts'

inMemory('any JSON and any query, with lists of any length', adapter => {
  it('is taken or refused in the shape of 2.13 by every operation of the control plane, and never with an internal error', () =>
    fuzzControlPlane(adapter, 200))

  it('is taken or refused in the shape of 2.13 as a lead, and never with an internal error', () =>
    fuzzService(adapter, 200))
})
