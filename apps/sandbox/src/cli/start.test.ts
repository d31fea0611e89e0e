import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'
import { readyText } from './start.ts'

/** Runs work on a new server. */
async function withServer<Result>(profile: 'prose' | 'formal', work: (server: SandboxServer) => Promise<Result>) {
  const server = await startServer({ port: 0, logLevel: 'silent', profile })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

it.each(['prose', 'formal'] as const)(
  'prints a curl line that works as printed, under the profile %s',
  async profile => {
    const reply = await withServer(profile, async server => {
      const line = (await readyText(server)).split('\n').find(each => each.startsWith('curl')) ?? ''
      const { stdout } = await promisify(execFile)('sh', ['-c', line])
      return JSON.parse(stdout)
    })
    expect(reply).toMatchObject({ status: 'distributed' })
  },
)

it('prints what to change where the criteria of the demo account allow no such lead', async () => {
  const text = await withServer('prose', async server => {
    const { tenant, products } = server.account()
    const change = { products: products.map(({ product_id }) => ({ product_id, active: false })) }
    const reply = await fetch(`${server.url}/_sandbox/v1/tenants/${tenant}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    })
    expect(reply.status).toBe(200)
    return readyText(server)
  })
  expect(text).toContain('The account has no active product')
})
