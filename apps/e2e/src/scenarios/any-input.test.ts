import { it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { fuzzControlPlane, fuzzService } from './any-input.fixture.ts'

inMemory('any JSON and any query, with lists of any length', adapter => {
  it('is accepted, or refused in the shape of 2.13, by every control-plane operation, and never causes an internal error', () =>
    fuzzControlPlane(adapter, 200))

  it('is accepted, or refused in the shape of 2.13, as a lead, and never causes an internal error', () =>
    fuzzService(adapter, 200))
})
