import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'

type Step = readonly [method: string, path: string, body?: object]

const callback = { operation: 'callback' }
const effects = [
  { drop: true },
  { delay: 'PT20S' },
  { duplicate: 1 },
  { reorder: true },
  { status: 503 },
  { status: 204 },
  { delay: 'PT0S' },
]
const upTo = (max: number) => fc.integer({ min: 0, max })

/** A step on a tenant: a control-plane request, or something else by name. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>(['submit', '']) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('registration', 'approved', 'rejected', 'converted'), upTo(2))
      .map(([event, lead]): Step => ['report', `${lead}`, { event }]),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('PT0S', 'PT5S', 'PT19.999S', 'PT30S', 'PT1M', 'PT1H')
      .map((by): Step => ['POST', '/clock/advance', { by }]),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        effect: fc.constantFrom(...effects),
        times: upTo(3),
        after: upTo(1),
        probability: fc.constantFrom(0, 0.5, 1),
      })
      .map((setting): Step => ['POST', '/faults', { match: callback, ...setting }]),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ status: fc.constantFrom(200, 500), times: upTo(3) })
      .map((mode): Step => ['PATCH', '/inbox', mode]),
  },
  { weight: 2, arbitrary: upTo(5).map((nth): Step => ['resend', `${nth}`]) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Step>(
      ['POST', '/callbacks/recover', { since: 'PT30S' }],
      ['POST', '/callbacks/recover', { since: 'P1D' }],
      ['POST', '/clock', { set: '2026-06-15T12:01:00Z' }],
      ['DELETE', '/faults'],
      ['POST', '/snapshots', { name: 'a' }],
      ['POST', '/snapshots/a/restore'],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>(['POST', '/reset'], ['restart', '']) },
)

/** Runs one step. Returns the control plane's response. */
async function take(tenant: Tenant, [method, path, body]: Step): Promise<unknown> {
  if (method === 'submit') return (await tenant.submit()).json
  if (method === 'report') {
    const { leads } = (await tenant.control('GET', '/leads')).json
    const lead = leads[Number(path)]?.lead_id
    return lead && (await tenant.control('POST', `/leads/${lead}/trigger`, { body })).json
  }
  if (method === 'resend') {
    const { callbacks } = (await tenant.control('GET', '/callbacks')).json
    const id = callbacks[Number(path)]?.callback_id
    return id && (await tenant.control('POST', `/callbacks/${id}/resend`)).json
  }
  const { status, json } = await tenant.control(method, path, body && { body })
  return [status, json]
}

/** A sandbox that can be closed and reopened on the same storage. */
interface Reopened {
  adapter: Adapter
  reopen(): Promise<Adapter>
}

/** The results of some steps without what differs between adapters: addresses and durations. */
async function outcome(sandbox: Reopened, steps: readonly Step[]): Promise<unknown> {
  let tenant = await createTenant(sandbox.adapter, {
    name: 'agreeing',
    seed: 1,
    frozen_at: '2026-06-15T12:00:00Z',
    settings: {
      callback_retries: ['PT5S', 'PT30S'],
      lifecycle: [
        { event: 'registration', after: 'PT10S' },
        { event: 'converted', after: 'P1D' },
      ],
    },
  })
  const results = []
  for (const step of steps) {
    if (step[0] === 'restart') {
      const { account } = tenant
      sandbox.adapter = await sandbox.reopen()
      tenant = new Tenant(sandbox.adapter, account)
    } else results.push(await take(tenant, step))
    // Resolves when everything due is done. The count depends on what already ran in the background.
    await take(tenant, ['POST', '/clock/advance', { by: 'PT0S' }])
  }
  const end = []
  for (const path of ['/leads', '/callbacks', '/inbox', '/faults', '/clock', '/coverage'])
    end.push((await tenant.control('GET', path)).json)
  end.push(await tenant.wholeLeads())
  await tenant.control('DELETE')
  const text = JSON.stringify({ results, end }).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
  return JSON.parse(text, (name, value) => (['ms', 'saved_at'].includes(name) ? 0 : value))
}

describe('a sandbox in memory and one on a SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-agree-'))
  const data = join(folder, 'sandbox.db')
  const sandboxes: Reopened[] = []
  beforeAll(async () => {
    const inMemory = await openMemoryAdapter()
    const onFile: Reopened = {
      adapter: await openExpressAdapter({ data }),
      async reopen() {
        await onFile.adapter.close()
        return openExpressAdapter({ data })
      },
    }
    sandboxes.push({ adapter: inMemory, reopen: async () => inMemory }, onFile)
  })
  afterAll(async () => {
    for (const { adapter } of sandboxes) await adapter.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('produce the same state from the same seed, whatever happens to a tenant and however often the file is reopened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
        const [first, ...others] = await Promise.all(sandboxes.map(sandbox => outcome(sandbox, steps)))
        for (const other of others) expect(other).toEqual(first)
      }),
      { numRuns: 40, seed: 1 },
    )
  })
})
