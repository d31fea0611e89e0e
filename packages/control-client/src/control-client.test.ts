import { describe, expect, it } from 'vitest'
import type { ControlRequest } from './core.ts'
import { ControlError, createControlClient, PathError, routes } from './core.ts'

/** A client whose requests are recorded and answered by these replies in turn, of which an error is thrown. */
function recorded(...replies: unknown[]) {
  const sent: ControlRequest[] = []
  const client = createControlClient(async request => {
    sent.push(request)
    const reply = replies.shift() ?? {}
    if (reply instanceof Error) throw reply
    return reply
  }, routes)
  return { client, sent, tenant: client.control('qa') }
}

describe('a call', () => {
  it('fills in the path, and sends a filter as a query without what is left out', async () => {
    const { tenant, sent } = recorded()
    await tenant.leads.list({ email: 'ana+1@example.com', limit: 5, status: undefined })
    await tenant.callbacks.resend('c/1')
    expect(sent).toMatchObject([
      { method: 'GET', path: '/tenants/qa/leads', query: { email: 'ana+1@example.com', limit: '5' }, body: undefined },
      { method: 'POST', path: '/tenants/qa/callbacks/c%2F1/resend', query: {}, body: {} },
    ])
  })

  it('sends a scenario as the header of that name, and any submission unchanged', async () => {
    const { tenant, sent } = recorded()
    await tenant.leads.explain([1], { scenario: 'new' })
    expect(sent).toMatchObject([{ headers: { 'x-sandbox-scenario': 'new' }, body: [1] }])
  })

  it.each(['', '.', '..', '\ud800', undefined as unknown as string])(
    'refuses %j for a part of a path before anything is sent',
    async id => {
      const { client, tenant, sent } = recorded()
      for (const call of [
        () => tenant.leads.show(id),
        () => tenant.faults.remove(id),
        () => tenant.snapshots.delete(id),
        () => tenant.snapshots.restore(id),
        () => client.control(id).delete(),
        () => client.openTenant(id),
      ])
        await expect(call()).rejects.toThrow(PathError)
      await expect(tenant.leads.show(id)).rejects.toThrow(/^`lead_id` must be a non-empty string/)
      expect(sent).toEqual([])
    },
  )

  it('encodes all else, so that it stays one part of the path', async () => {
    const { tenant, sent } = recorded()
    for (const name of ['...', '%2e%2e', 'a/..', '..\\', '.. ', '\0', 'é?#']) await tenant.snapshots.delete(name)
    for (const { path } of sent) {
      const { pathname } = new URL(path, 'http://127.0.0.1')
      expect(pathname.split('/')).toHaveLength(5)
    }
    expect(sent.map(({ path }) => decodeURIComponent(path.split('/')[4] ?? ''))).toContain('a/..')
  })
})

it('waits as long as it is asked to, though one call of the control plane waits a minute at the most', async () => {
  const timeIsUp = () => new ControlError('waitForCallback', 404, { error: 'not_found', message: 'No.' })
  const { tenant, sent } = recorded(timeIsUp(), { callback_id: 'c1' })
  const wanted = { lead_id: '50000000-0000-4000-8000-00000000ffff', event: 'approved', timeout_ms: 70_000 }
  expect(await tenant.callbacks.wait(wanted)).toEqual({ callback_id: 'c1' })
  expect(sent.map(({ query, holdMs }) => [query.timeout_ms, query.event, holdMs])).toEqual([
    ['60000', 'approved', 60_000],
    ['10000', 'approved', 10_000],
  ])
})

it('lists the tenants of all pages', async () => {
  const { client, sent } = recorded(
    { tenants: [{ tenant: 'a' }, { tenant: 'b' }], next: 'b' },
    { tenants: [{ tenant: 'c' }] },
  )
  expect(await client.listTenants()).toEqual({ tenants: [{ tenant: 'a' }, { tenant: 'b' }, { tenant: 'c' }] })
  expect(sent.map(({ query }) => query)).toEqual([{}, { before: 'b' }])
})

it('keeps the account of a tenant as the last reply has it', async () => {
  const accounts = ['first', 'second', 'third', 'fourth', 'fifth'].map(base_url => ({ tenant: 'qa', base_url }))
  const { client } = recorded(...accounts)
  const tenant = await client.createTenant()
  const seen = [tenant.account.base_url]
  for (const change of [
    () => tenant.update({ settings: { gender: 'required' } }),
    () => tenant.reset(),
    () => tenant.snapshots.restore('then'),
    () => tenant.show(),
  ]) {
    await change()
    seen.push(tenant.account.base_url)
  }
  expect(seen).toEqual(accounts.map(({ base_url }) => base_url))
})

/** Compiled, never run: what must not compile, and what a reply is typed as. */
async function types({ client, tenant }: ReturnType<typeof recorded>) {
  // @ts-expect-error a control has no account: open the tenant
  tenant.account
  // @ts-expect-error no such option
  await client.createTenant({ frozenAt: '2026-01-31T09:30:00Z' })
  const { executed, now }: { executed: number; now: string } = await tenant.clock.advance({ by: 'PT24H' })
  const { callbacks } = await tenant.callbacks.list({ state: 'failed' })
  const state: 'pending' | 'delivered' | 'failed' | undefined = callbacks[0]?.state
  return [executed, now, state]
}

it('holds its types by what must not compile', () => expect(types).toBeInstanceOf(Function))
