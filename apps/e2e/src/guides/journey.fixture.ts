import { afterAll, beforeAll } from 'vitest'
import type { Door } from '../doors/door.ts'
import { doors } from '../doors/every-door.ts'
import { createTenant, type Tenant } from '../doors/tenant.ts'

/** What a journey works with: a server over a SQLite file, open while the tests of a file run. */
export interface Journey {
  readonly door: Door
  /** Makes a tenant of the journey's own. */
  newTenant(creation?: object): Promise<Tenant>
}

/** Opens what the journeys of a file work with. */
export function openJourney(): Journey {
  let opened: Door | undefined
  const door = () => {
    if (!opened) throw new Error('The server is open within a test only.')
    return opened
  }
  beforeAll(async () => {
    opened = await doors['express + SQLite']?.()
  })
  afterAll(() => opened?.close())
  return {
    get door() {
      return door()
    },
    newTenant: creation => createTenant(door(), creation),
  }
}

/** Goes forward in a tenant's time; answers what the clock then says. */
export async function advance(tenant: Tenant, by: string) {
  return (await tenant.control('POST', '/clock/advance', { body: { by } })).json
}
