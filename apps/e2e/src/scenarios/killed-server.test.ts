import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Adapter, decodeReply, encodeRequest } from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { openReceiver, type Receiver } from '../adapters/receiver.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'

const { start } = launcher()
const noon = '2026-06-15T12:00:00.000Z'

/** A server in a process of its own, through `fetch`. */
function adapterTo(url: string): Adapter {
  return {
    url,
    async request(method, target, options = {}) {
      const { headers, body } = encodeRequest(options)
      const reply = await fetch(`${url}${target}`, {
        method,
        headers,
        ...(body.byteLength > 0 && { body: Buffer.from(body) }),
      })
      return decodeReply(reply.status, Object.fromEntries(reply.headers), await reply.text())
    },
    close: async () => undefined,
  }
}

/** A server that is killed with a callback pending or on its way, and the same file served again. */
async function killed(receiver: Receiver, creation: object, until: (tenant: Tenant, lead: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-kill-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'sandbox.db')
  const first = await start('--data', data)
  const tenant = await createTenant(adapterTo(first.url), { callback_url: receiver.url, ...creation })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'approved')
  await until(tenant, lead)
  first.child.kill('SIGKILL')
  expect((await first.exit).signal).toBe('SIGKILL')
  const again = await start('--data', data)
  return { tenant: new Tenant(adapterTo(again.url), tenant.account), lead }
}

describe('a server that is killed', { timeout: 30_000 }, () => {
  it('goes on, once it is started again, with a callback that waited for its retry', async () => {
    await using receiver = await openReceiver((response, nth) => response.writeHead(nth === 1 ? 503 : 200).end())
    const { tenant, lead } = await killed(receiver, { frozen_at: noon }, async (tenant, lead) => {
      await expect
        .poll(async () => (await tenant.lead(lead)).callbacks, { interval: 10, timeout: 5000 })
        .toMatchObject([{ state: 'pending', attempts: [{ status: 503 }] }])
    })
    expect((await tenant.lead(lead)).callbacks).toMatchObject([{ state: 'pending', attempts: [{ status: 503 }] }])
    await tenant.control('POST', '/clock/advance', { body: { by: 'PT5S' } })
    expect((await tenant.lead(lead)).callbacks).toMatchObject([
      { state: 'delivered', attempts: [{ status: 503 }, { status: 200 }] },
    ])
    expect(receiver.received).toHaveLength(2)
  })

  it.each([
    ['stands still', { frozen_at: noon }],
    ['runs', {}],
  ])('sends again, by itself, a callback that was on its way, while the clock %s', async (_title, creation) => {
    await using receiver = await openReceiver((response, nth) => void (nth > 1 && response.end()))
    const { tenant, lead } = await killed(receiver, creation, async () => {
      await expect.poll(() => receiver.received.length, { interval: 10, timeout: 5000 }).toBe(1)
    })
    const { status, json } = await tenant.control('GET', `/callbacks/wait?lead_id=${lead}`)
    expect([status, json.attempts?.length, receiver.received.length]).toEqual([200, 1, 2])
  })
})
