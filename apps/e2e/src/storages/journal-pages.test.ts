import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'

/** The numbers on a page of the journal, and its cursor. */
async function pageOf(tenant: Tenant, query = ''): Promise<{ numbers: number[]; next?: string }> {
  const { status, json } = await tenant.control('GET', `/requests?${query}`)
  expect([status, json.details]).toEqual([200, undefined])
  const numbers = json.requests.map(({ request_id }: { request_id: string }) => Number(request_id.slice(1)))
  return { numbers, next: json.next }
}

/** Returns the numbers on all pages of this size. */
async function allPages(tenant: Tenant, limit: number, filter = ''): Promise<number[]> {
  const all: number[] = []
  for (let before: string | undefined, pages = 0; pages < 1000; pages++) {
    const page = await pageOf(tenant, `limit=${limit}&${filter}${before ? `&before=${before}` : ''}`)
    expect(page.numbers.length).toBeLessThanOrEqual(limit)
    all.push(...page.numbers)
    before = page.next
    if (before === undefined) return all
  }
  throw new Error('The pages have no end.')
}

const countdown = (from: number, to = 1) => Array.from({ length: from - to + 1 }, (_, index) => from - index)

onEveryStorage("the journal's pages", adapter => {
  it('stay the same while requests arrive', async () => {
    const tenant = await createTenant(adapter)
    for (let call = 0; call < 4; call++) await tenant.submitBody({})
    const first = await pageOf(tenant, 'limit=2')
    await tenant.submitBody({})
    expect(await pageOf(tenant, `limit=2&before=${first.next}`)).toEqual({ numbers: [2, 1], next: undefined })
  })

  it('number concurrent requests without gaps or repeats', async () => {
    const tenant = await createTenant(adapter)
    const calls = Array.from({ length: 300 }, () => tenant.submitBody({}))
    await Promise.all(calls)
    expect(await allPages(tenant, 100)).toEqual(countdown(300))
  })
})

describe('a bounded journal', () => {
  const fill = async (tenant: Tenant, calls: number) => {
    for (let call = 0; call < calls; call++) await tenant.submitBody({})
  }

  it('shows only the newest entries, written or not', async () => {
    const adapter = await openMemoryAdapter({ journalLimit: 5 })
    const tenant = await createTenant(adapter)
    await fill(tenant, 5)
    expect(await allPages(tenant, 500)).toEqual(countdown(5))
    await fill(tenant, 1)
    expect(await allPages(tenant, 2)).toEqual(countdown(6, 2))
    await Promise.all(Array.from({ length: 700 }, () => tenant.submitBody({})))
    expect(await allPages(tenant, 2)).toEqual(countdown(706, 702))
    await adapter.close()
  })

  it('applies another bound to a file written with the first', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-journal-'))
    const data = join(folder, 'sandbox.db')
    let adapter: Adapter = await openExpressAdapter({ data, journalLimit: 5 })
    const { account } = await createTenant(adapter)
    await fill(new Tenant(adapter, account), 8)
    await adapter.close()
    for (const [journalLimit, shown] of [
      [5, countdown(8, 4)],
      [3, countdown(8, 6)],
    ] as const) {
      adapter = await openExpressAdapter({ data, journalLimit })
      expect(await allPages(new Tenant(adapter, account), 2)).toEqual(shown)
      await adapter.close()
    }
    adapter = await openExpressAdapter({ data, journalLimit: 3 })
    await fill(new Tenant(adapter, account), 1)
    expect(await allPages(new Tenant(adapter, account), 500)).toEqual(countdown(9, 7))
    await adapter.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
