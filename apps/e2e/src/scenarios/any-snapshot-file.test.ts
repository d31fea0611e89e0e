import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { type Tenant, tenantsPath } from '../adapters/tenant.ts'
import { fileOf, importFile, usedTenant } from './snapshot-file.fixture.ts'

/** A value that may replace another, of the same type or any other. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, -1, 1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53), 1e308, 8.64e15, 253402300800000),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('', '<script>alert(1)</script>', 'http://169.254.169.254/', 'x'.repeat(9_000)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('frozen', 'pending', 'rejected', 'reorder', 'PT1S', 'approved', 'f1', 'formal'),
  },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [0, 0, 0], { __proto__: null, a: [[]] }) },
  { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.uuid(), fc.string(), fc.jsonValue({ maxDepth: 3 })) },
)

/** A mutation at a place in a file: another value, another place's value, removal, or a doubled list. */
const edit = fc.record({
  place: fc.nat(),
  other: fc.nat(),
  how: fc.constantFrom('value', 'value', 'value', 'swap', 'delete', 'double'),
  value,
})

type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never
type Place = readonly [holder: Record<string, unknown>, name: string]

/** Every field and item of a file. */
function placesOf(holder: unknown): Place[] {
  if (typeof holder !== 'object' || holder === null) return []
  const own = holder as Record<string, unknown>
  return Object.keys(own).flatMap(name => [[own, name] as const, ...placesOf(own[name])])
}

function edited(file: object, edits: readonly Edit[]): object {
  const copy = structuredClone(file)
  for (const { place, other, how, value } of edits) {
    const places = placesOf(copy)
    const [holder, name] = places[place % places.length] as Place
    const [from, source] = places[other % places.length] as Place
    if (how === 'value') holder[name] = value
    else if (how === 'swap') holder[name] = structuredClone(from[source])
    else if (how === 'delete') delete holder[name]
    else if (Array.isArray(holder[name])) holder[name] = [...holder[name], ...structuredClone(holder[name])]
  }
  return copy
}

const lists = ['', '/leads', '/callbacks', '/inbox', '/clock', '/clock/agenda', '/faults', '/requests', '/coverage']

describe('a server on a file, to which a team imports any snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-any-snapshot-'))
  const data = join(folder, 'sandbox.db')
  let adapter: Adapter
  beforeAll(async () => {
    adapter = await openExpressAdapter({ data })
  })
  afterAll(async () => {
    await adapter.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Returns the status of every read of a tenant and of each entry in its lists. */
  async function statuses(tenant: Tenant): Promise<number[]> {
    const replies = []
    for (const path of [...lists, '/snapshots']) replies.push(await tenant.control('GET', path))
    const [, leads, callbacks] = replies
    for (const { lead_id } of leads?.json.leads ?? []) {
      const lead = await tenant.control('GET', `/leads/${lead_id}`)
      replies.push(lead)
      for (const { redirect_url } of (lead.json.deliveries ?? []).filter((each: object) => 'redirect_url' in each)) {
        const page = await adapter.request('GET', new URL(redirect_url).pathname)
        expect(page.text).not.toContain('<script>')
        replies.push(page)
      }
    }
    for (const { callback_id } of callbacks?.json.callbacks ?? [])
      replies.push(await tenant.control('GET', `/callbacks/${callback_id}`))
    replies.push(await tenant.submit(), await tenant.control('POST', '/clock/advance', { body: { by: 'P2D' } }))
    replies.push(await tenant.control('GET', '/callbacks'), await adapter.request('GET', tenantsPath))
    return replies.map(({ status }) => status)
  }

  it("keeps serving every tenant's lists, keys and leads, also after a restart", async () => {
    const team = await usedTenant(adapter, { name: 'team' })
    const other = await usedTenant(adapter, { name: 'other' })
    const file = await fileOf(team)
    const state = async (tenant: Tenant) => {
      const shown = await Promise.all(lists.map(async path => (await tenant.control('GET', path)).json))
      return JSON.parse(JSON.stringify([shown, await tenant.wholeLeads()]).replaceAll(/127\.0\.0\.1:\d+/g, ''))
    }
    const untouched = await state(other)
    const { publisher, advertisers } = team.account
    let taken = 0
    let opened = 0
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async edits => {
        const { status } = await importFile(team, edited(file, edits))
        expect([201, 400]).toContain(status)
        if (status === 400) return
        taken += 1
        const { status: restored, json } = await team.control('POST', '/snapshots/imported/restore')
        expect(restored).toBe(200)
        expect([json.publisher.api_key, json.publisher.callback_secret]).toEqual([
          publisher.api_key,
          publisher.callback_secret,
        ])
        for (const { advertiser_id, api_key, postback_secret } of advertisers)
          expect(json.advertisers).toContainEqual(expect.objectContaining({ advertiser_id, api_key, postback_secret }))
        for (const each of await statuses(team)) expect(each).toBeLessThan(500)
        expect(await state(other)).toEqual(untouched)
        if (taken % 3 !== 0) return
        await adapter.close()
        adapter = await openExpressAdapter({ data })
        opened += 1
        for (const tenant of [team, other]) Object.assign(tenant, { adapter })
        expect((await team.control('GET')).status).toBe(200)
        expect(await state(other)).toEqual(untouched)
      }),
      { numRuns: 100, seed: 22 },
    )
    // Otherwise, the property proves nothing.
    expect([taken > 9, opened > 2]).toEqual([true, true])
  })
})
