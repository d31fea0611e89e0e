import { expect, it, onTestFinished } from 'vitest'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { tenantsPath } from '../adapters/tenant.ts'

/** A server on this machine alone, with a token or what stands for none. */
async function openWith(adminToken: string) {
  const adapter = await openExpressAdapter({ adminToken })
  onTestFinished(() => adapter.close())
  return (authorization?: string) =>
    adapter.request('GET', `${tenantsPath}/demo`, authorization === undefined ? {} : { headers: { authorization } })
}

it('is asked for wherever it was given, on this machine too: a proxy may stand before it', async () => {
  const show = await openWith('s3cret')
  expect((await show()).status).toBe(401)
  expect((await show('Bearer wrong')).status).toBe(401)
  const { status, json } = await show('Bearer s3cret')
  expect(status).toBe(200)
  expect(json.publisher.api_key).not.toBe('sandbox_pub_demo_0000000000000000')
})

it('is no token where it is empty', async () => {
  const show = await openWith('')
  expect((await show()).json.publisher.api_key).toBe('sandbox_pub_demo_0000000000000000')
})
