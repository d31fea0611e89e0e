import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'
import { settled } from '../ports.fixture.ts'

const creation = { name: 'qa', seed: 'pages', settings: { lifecycle: [{ event: 'completed', after: 'P30D' }] } }

/** More than two batches of a snapshot. */
const count = 135

type Calls = Awaited<ReturnType<typeof openTenantClient>>

/** Everything that the control plane lists for a tenant. Inbox entries get new numbers. */
async function everything({ get }: Calls) {
  const lists = ['/leads', '/callbacks', '/requests', '/inbox'].map(path => get(`${path}?limit=500`))
  const { leads } = await get('/leads?limit=500')
  const whole = leads.map(({ lead_id }: Shown) => get(`/leads/${lead_id}`))
  const others = ['/clock', '/clock/agenda', '/faults', '/coverage'].map(path => get(path))
  const shown = await Promise.all([...lists, ...whole, ...others])
  return JSON.parse(JSON.stringify(shown, (key, value) => (key === 'entry_id' ? undefined : value)))
}

/** A tenant with more than a batch of everything. */
async function openFull(): Promise<Calls> {
  const calls = await openTenantClient(creation)
  const { submit, leads, time, trigger, done } = calls
  for (let nth = 0; nth < count; nth++) {
    const { lead_id } = await submit(leads.distributed, `c${nth}@example.com`)
    await trigger(lead_id, nth % 2 === 0 ? 'approved' : 'rejected')
    await submit(leads.incomeInsufficient, `poor${nth}@example.com`)
    await time.advance(1_000)
  }
  await submit(leads.distributed, 'http_500.new+chain@sandbox.test')
  await done('POST', '/faults', { match: { operation: 'reportStatus' }, effect: { status: 503 } })
  await done('PATCH', '/inbox', { status: 500, times: 3 })
  await done('POST', '/clock', { freeze: true })
  await time.advance(100)
  return calls
}

const ndjson = { 'content-type': 'application/x-ndjson' }

const linesOf = (text: string): Shown[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

const exported = async ({ control }: Calls) => (await control('GET', '/snapshots/full/file')).text

const isAscending = (values: readonly (number | string)[]) =>
  values.every((value, index) => index === 0 || (values[index - 1] as typeof value) <= value)

describe('a snapshot of more than one batch', () => {
  it('contains every record once, oldest first, and restores all of them', async () => {
    const full = await openFull()
    const before = await everything(full)
    await full.done('POST', '/snapshots', { name: 'full' })
    const text = await exported(full)
    const lines: Shown[] = linesOf(text)
    const of = (kind: string) => lines.flatMap(line => line[kind] ?? [])
    expect(lines.at(-1)).toEqual({ records: lines.length - 2 })
    expect([of('lead').length, of('request').length, of('inbox').length]).toEqual([2 * count, 3 * count + 1, count])
    expect([of('customer').length, of('report').length]).toEqual([2 * count, count])
    for (const [kind, field] of [
      ['lead', 'lead_id'],
      ['lead', 'received_at'],
      ['request', 'number'],
      ['inbox', 'received_at'],
      ['report', 'due_at'],
    ] as const)
      expect([kind, field, isAscending(of(kind).map(record => record[field]))]).toEqual([kind, field, true])
    expect(new Set(of('lead').map(lead => lead.lead_id)).size).toBe(2 * count)
    expect(new Set(of('customer').map(each => each.email)).size).toBe(2 * count)

    const empty = await openTenantClient(creation)
    expect((await empty.control('POST', '/snapshots/full/file', text, ndjson)).status).toBe(201)
    await empty.done('POST', '/snapshots/full/restore')
    expect(await everything(empty)).toEqual(before)
    expect(linesOf(await exported(empty))).toEqual(lines)
    const { submit, leads, done } = empty
    expect((await submit(leads.distributed, 'c0@example.com')).rejection_reason).toBe('customer_already_exists')
    expect((await submit(leads.distributed, `c${count - 1}@example.com`)).rejection_reason).toBe(
      'customer_already_exists',
    )
    expect((await submit(leads.distributed, `poor${count - 1}@example.com`)).rejection_reason).toBe(
      'duplicate_submission',
    )
    expect((await submit(leads.distributed, 'http_500.new+chain@sandbox.test')).status).toBe('new')
    expect((await done('POST', '/clock/advance', { by: 'P31D' })).pending).toBe(0)
    expect((await empty.get(`/leads/${of('lead')[0].lead_id}`)).events).toHaveLength(2)
  })

  it('restores later deletions and changes, and is listed oldest first', async () => {
    const calls = await openTenantClient(creation)
    const { done, get, submit, leads, trigger } = calls
    const { lead_id } = await submit(leads.distributed, 'a@example.com')
    await done('POST', '/clock', { freeze: true })
    const before = await everything(calls)
    await done('POST', '/snapshots', { name: 'b' })
    await done('POST', '/snapshots', { name: 'a' })
    await trigger(lead_id, 'approved')
    await submit(leads.distributed, 'b@example.com')
    await settled()
    expect(await everything(calls)).not.toEqual(before)
    await done('POST', '/snapshots/b/restore')
    expect(await everything(calls)).toEqual(before)
    const names = async () => (await get('/snapshots')).snapshots.map(({ name }: Shown) => name)
    expect(await names()).toEqual(['b', 'a', 'before-restore'])
    await done('POST', '/snapshots', { name: 'b' })
    expect(await names()).toEqual(['a', 'before-restore', 'b'])
    await done('DELETE', '/snapshots/a')
    expect(await names()).toEqual(['before-restore', 'b'])
  })
})
