import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openSqliteAdapter } from '../adapters/every-adapter.ts'
import { fuzzControlPlane, fuzzService } from '../scenarios/any-input.fixture.ts'

/** The long round of `scenarios/any-input.test.ts`, over sockets and SQLite; fast-check prints the seed of a failure. */
describe('any input, with lists of any length, over Express and SQLite', { timeout: 600_000 }, () => {
  let adapter: Adapter
  beforeAll(async () => {
    adapter = await openSqliteAdapter()
  })
  afterAll(() => adapter.close())

  it('leaves the control plane answering', () => fuzzControlPlane(adapter, 500))

  it('leaves the service answering', () => fuzzService(adapter, 500))
})
