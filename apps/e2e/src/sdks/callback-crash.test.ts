import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

let folder: string
let adapter: Adapter
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callback-crash-'))
  adapter = await openExpressAdapter()
})
afterAll(async () => {
  await adapter.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A publisher's process that receives callbacks, with claims in a file. */
async function startPublisher(file: string, ...how: string[]) {
  const program = join(import.meta.dirname, 'callback-process.fixture.ts')
  const child = spawn(process.execPath, [program, file, ...how], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => String((await lines.next()).value)
  return {
    url: await nextLine(),
    nextLine,
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

it('loses no event when the process is killed between claim and confirmation: a retry delivers it', async () => {
  const file = join(folder, 'claims.db')
  const tenant = await createTenant(adapter, {
    frozen_at: '2026-01-31T09:30:00Z',
    settings: { callback_retries: ['PT1S', 'PT1S'] },
  })
  const lead_id = await tenant.distributedLead()
  const lastAttempt = async () => (await tenant.lead(lead_id)).callbacks[0]?.attempts.at(-1)

  const first = await startPublisher(file, 'hang')
  await tenant.change({ callback_url: first.url })
  await tenant.pixel(lead_id, 'approved')
  expect(await first.nextLine()).toBe('handling approved')
  await first.kill()
  await expect.poll(lastAttempt).toMatchObject({ error: expect.any(String) })

  const second = await startPublisher(file)
  const { url } = (await tenant.lead(lead_id)).callbacks[0]
  const moved = url.replace(first.url, second.url)
  const whileLeased = await fetch(moved)
  expect([whileLeased.status, whileLeased.headers.get('retry-after')]).toEqual([503, '60'])

  // The dead process's lease expires.
  const database = new DatabaseSync(file)
  database.exec('UPDATE claims SET until = 0')
  database.close()
  await tenant.change({ callback_url: second.url })
  await tenant.client.clock.advance({ by: 'PT1S' })
  expect(await lastAttempt()).toMatchObject({ status: 200 })
  expect(await second.nextLine()).toBe('handling approved')
  expect(await (await fetch(moved)).json()).toEqual({ status: 'ignored' })
})
