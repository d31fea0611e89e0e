import { afterAll, beforeAll } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openSqliteAdapter } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** What a journey works with: a server over a SQLite file, open while the tests of a file run. */
export interface Journey {
  readonly adapter: Adapter
  /** Makes a tenant of the journey's own. */
  newTenant(creation?: object): Promise<Tenant>
}

/** Opens what the journeys of a file work with. */
export function openJourney(): Journey {
  let opened: Adapter | undefined
  const adapter = () => {
    if (!opened) throw new Error('The server is open within a test only.')
    return opened
  }
  beforeAll(async () => {
    opened = await openSqliteAdapter()
  })
  afterAll(() => opened?.close())
  return {
    get adapter() {
      return adapter()
    },
    newTenant: creation => createTenant(adapter(), creation),
  }
}

/** Goes forward in a tenant's time; answers what the clock then says. */
export async function advance(tenant: Tenant, by: string) {
  return (await tenant.control('POST', '/clock/advance', { body: { by } })).json
}
