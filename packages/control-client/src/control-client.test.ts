import { controlOperations } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { ControlError, type ControlRequest, createControlClient, PathError } from './index.ts'

/** Creates a client that records its requests and gets these replies in turn; a reply that is an error is thrown. */
function recorded(...replies: unknown[]) {
  const sent: ControlRequest[] = []
  const client = createControlClient(async request => {
    sent.push(request)
    const reply = replies.shift() ?? {}
    if (reply instanceof Error) throw reply
    return reply
  })
  return { client, sent, tenant: client.control('qa') }
}

const qa = '/_sandbox/v1/tenants/qa'

describe('a call', () => {
  it('fills in the path, and sends defined filters as a query', async () => {
    const { tenant, sent } = recorded()
    await tenant.leads.list({ email: 'ana+1@example.com', limit: 5, status: undefined })
    await tenant.callbacks.resend('c/1')
    expect(sent).toMatchObject([
      { method: 'GET', path: `${qa}/leads?email=ana%2B1%40example.com&limit=5`, body: undefined },
      { method: 'POST', path: `${qa}/callbacks/c%2F1/resend`, body: {} },
    ])
  })

  it('sends options under their wire names, and documents unchanged', async () => {
    const { client, tenant, sent } = recorded({ tenant: 'qa' })
    await client.createTenant({ frozenAt: '2026-01-31T09:30:00Z', publisher: { callback_secret: 's' } })
    await tenant.leads.list({ externalId: 'ana' })
    await tenant.callbacks.send({ leadId: 'l1', event: 'approved', badSignature: true })
    await tenant.update({ callback_url: null })
    await tenant.leads.explain({ productId: 'p1' })
    await tenant.reset()
    await tenant.snapshots.import('then', 'lines')
    expect(sent.map(({ path, body }) => [path, body])).toEqual([
      ['/_sandbox/v1/tenants', { frozen_at: '2026-01-31T09:30:00Z', publisher: { callback_secret: 's' } }],
      [`${qa}/leads?external_id=ana`, undefined],
      [`${qa}/callbacks`, { lead_id: 'l1', event: 'approved', bad_signature: true }],
      [qa, { callback_url: null }],
      [`${qa}/leads/explain`, { productId: 'p1' }],
      [`${qa}/reset`, {}],
      [`${qa}/snapshots/then/file`, new TextEncoder().encode('lines')],
    ])
  })

  it('rejects an option in wire spelling by name before sending anything', async () => {
    const { client, sent } = recorded()
    // @ts-expect-error wire spelling
    await expect(client.createTenant({ frozen_at: '2026-01-31T09:30:00Z' })).rejects.toThrow(
      'createTenant has no option `frozen_at`: write `frozenAt`.',
    )
    expect(sent).toEqual([])
  })

  it('sends a scenario in its header, and the submission unchanged', async () => {
    const { tenant, sent } = recorded()
    await tenant.leads.explain([1], { scenario: 'new' })
    expect(sent).toMatchObject([{ headers: { 'x-sandbox-scenario': 'new' }, body: [1] }])
  })

  it.each(['', '.', '..', '\ud800', undefined as unknown as string])(
    'rejects %j as a path segment before sending anything',
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

  it('encodes any other name as a single path segment', async () => {
    const { tenant, sent } = recorded()
    for (const name of ['...', '%2e%2e', 'a/..', '..\\', '.. ', '\0', 'é?#']) await tenant.snapshots.delete(name)
    for (const { path } of sent) {
      const { pathname } = new URL(path, 'http://127.0.0.1')
      expect(pathname.split('/')).toHaveLength(7)
    }
    expect(sent.map(({ path }) => decodeURIComponent(path.split('/')[6] ?? ''))).toContain('a/..')
  })
})

it('waits as long as requested, in several calls of at most a minute', async () => {
  const timeIsUp = () => new ControlError('waitForCallback', 404, { error: 'not_found', message: 'No.' })
  const { tenant, sent } = recorded(timeIsUp(), { callback_id: 'c1' })
  const wanted = { leadId: '50000000-0000-4000-8000-00000000ffff', event: 'approved', timeoutMs: 70_000 }
  expect(await tenant.callbacks.wait(wanted)).toEqual({ callback_id: 'c1' })
  expect(sent.map(({ path, holdMs }) => [path.split('&').slice(1), holdMs])).toEqual([
    [['event=approved', 'timeout_ms=60000'], 60_000],
    [['event=approved', 'timeout_ms=10000'], 10_000],
  ])
})

it('lists the tenants from all pages', async () => {
  const { client, sent } = recorded(
    { tenants: [{ tenant: 'a' }, { tenant: 'b' }], next: 'b' },
    { tenants: [{ tenant: 'c' }] },
  )
  expect(await client.listTenants()).toEqual({ tenants: [{ tenant: 'a' }, { tenant: 'b' }, { tenant: 'c' }] })
  expect(sent.map(({ path }) => path)).toEqual(['/_sandbox/v1/tenants', '/_sandbox/v1/tenants?before=b'])
})

it("keeps the tenant's account current", async () => {
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

/** Compiled, never run: misuse does not compile, and replies have types. */
async function types({ client, tenant }: ReturnType<typeof recorded>) {
  // @ts-expect-error a control without account: open the tenant
  tenant.account
  // @ts-expect-error no such option
  await client.createTenant({ frozen: '2026-01-31T09:30:00Z' })
  // @ts-expect-error the event is missing
  await tenant.leads.trigger('l1', {})
  // @ts-expect-error the id is missing
  await tenant.leads.show()
  const { executed, now }: { executed: number; now: string } = await tenant.clock.advance({ by: 'PT24H' })
  const { callbacks } = await tenant.callbacks.list({ state: 'failed' })
  const state: 'pending' | 'delivered' | 'failed' | undefined = callbacks[0]?.state
  return [executed, now, state]
}

it('rejects misuse at compile time', () => expect(types).toBeInstanceOf(Function))

interface Methods {
  readonly [name: string]: unknown
}

it('has a method for every operation, with the method, path and input place that the simulator declares', async () => {
  const seen = new Map<string, string>()
  const { client, sent, tenant } = recorded()
  const call = async (method: (...args: unknown[]) => unknown, args: unknown[]) => {
    const result = Object(method(...args))
    await (result.next?.() ?? result).catch(() => undefined)
    return sent.at(-1)
  }
  const visit = async (methods: Methods) => {
    for (const method of Object.values(methods)) {
      if (typeof method === 'object') await visit(method as Methods)
      if (typeof method !== 'function' || method === client.control) continue
      const { operation } = (await call(method as () => unknown, ['x', 'x', 'x'])) ?? expect.unreachable('nothing sent')
      const declared = controlOperations[operation as keyof typeof controlOperations]
      const ids =
        declared.path
          .replace(':tenant', '')
          .match(/:/g)
          ?.map(() => 'x') ?? []
      const {
        path,
        method: verb,
        body,
      } = (await call(method as () => unknown, [...ids, { probe: 1 }])) as ControlRequest
      seen.set(operation, `${verb} ${path.split('?')[0]}`)
      const place = path.includes('probe=1') ? 'query' : Object(body).probe === 1 ? 'body' : declared.in
      expect([operation, place]).toEqual([operation, declared.in === 'none' ? place : declared.in])
    }
  }
  await visit({ ...client })
  await visit({ ...tenant })
  const declared = Object.entries(controlOperations).map(([name, { methods, path }]) => {
    const filled = path.replace(':tenant', 'qa').replace(':deleted', 'qa').replace(/:\w+/g, 'x')
    return [name, `${methods[0]} /_sandbox/v1${filled}`]
  })
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(declared))
})

it('recognizes its errors by class, across copies of the package', () => {
  const error = new ControlError('showClock', 404, { error: 'not_found', message: 'No.' })
  const copy = Object.create(null, {
    [Symbol.for('@lead-distribution/control-client')]: { value: 'ControlError' },
  })
  expect([error, copy, new PathError('no'), new Error('no'), null].map(ControlError.is)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect([PathError.is(new PathError('no')), PathError.is(error)]).toEqual([true, false])
})
