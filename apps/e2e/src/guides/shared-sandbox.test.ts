import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { launcher } from '../adapters/command-line.ts'

const { run, start } = launcher()
const folder = mkdtempSync(join(tmpdir(), 'shared-sandbox-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shared = ['--host', '0.0.0.0', '--admin-token', 'a-long-one']

describe('a shared sandbox', () => {
  it.each(['0.0.0.0', '::'])('does not start on %s without a token, and says what to do', async host => {
    const { code, stdout, stderr } = await run('start', '--host', host, '--port', '0').exit
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--admin-token')
  })

  it('asks for its token at every path of the control plane, and takes no other', async () => {
    const { url } = await start(...shared)
    const statuses = async (headers: Record<string, string>) =>
      Promise.all(
        ['tenants', 'tenants/demo', 'tenants/demo/leads', 'tenants/nobody'].map(
          async path => (await fetch(`${url}/_sandbox/v1/${path}`, { headers })).status,
        ),
      )
    expect(await statuses({})).toEqual([401, 401, 401, 401])
    expect(await statuses({ authorization: 'Bearer a-long-on' })).toEqual([401, 401, 401, 401])
    expect(await statuses({ authorization: 'Bearer a-long-one' })).toEqual([200, 200, 200, 404])
  })

  it('draws its demo account once, and keeps it over a restart', async () => {
    const data = ['--data', join(folder, 'team.db')]
    const first = await start(...shared, ...data)
    first.child.kill('SIGTERM')
    await first.exit
    const again = await start(...shared, ...data)
    const other = await start(...shared)
    const keyOf = ({ tenant }: typeof first) => tenant.publisher.api_key
    expect(keyOf(again)).toBe(keyOf(first))
    expect(new Set([keyOf(first), keyOf(other), 'sandbox_pub_demo_0000000000000000']).size).toBe(3)
  })
})
