import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'

/** Has a server listen for as long as the test runs; answers its scheme, host and port. */
export async function openOnFreePort(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Has the callbacks of a tenant sent to a server, below `/callbacks/` and the secret; answers how they fared, once
 * an advertiser has reported an event.
 */
export async function callbacksTo(tenant: Tenant, server: Server, secret: string, lead: string, event: string) {
  await tenant.change({ callback_url: `${await openOnFreePort(server)}/callbacks/${secret}` })
  expect((await tenant.pixel(lead, event)).json).toMatchObject({ status: 'received' })
  const callbacks = await tenant.settledCallbacks(lead)
  return callbacks.map(({ state }: { state: string }) => state)
}
