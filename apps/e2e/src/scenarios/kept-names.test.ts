import { afterEach, expect, it, vi } from 'vitest'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

afterEach(() => vi.restoreAllMocks())

/** Records every map and set that gets a key with this text. Returns the keys still present. */
function watchKeys(text: string): () => string[] {
  const found: [{ has(key: string): boolean }, key: string][] = []
  for (const [prototype, method] of [
    [Map.prototype, 'set'],
    [Set.prototype, 'add'],
  ] as [Map<unknown, unknown>, 'set'][]) {
    const original = prototype[method]
    vi.spyOn(prototype, method).mockImplementation(function (this: Map<unknown, unknown>, key, value) {
      if (typeof key === 'string' && key.includes(text)) found.push([this, key])
      return original.call(this, key, value)
    })
  }
  // A stored record's key contains the name, and is removed with the tenant.
  const isStored = (key: string) => key.includes('\n')
  return () => found.filter(([holder, key]) => holder.has(key) && !isStored(key)).map(([, key]) => key)
}

it('a name that a client made up, or whose tenant was deleted, is not retained', async () => {
  const adapter = await openMemoryAdapter()
  const tenant = await createTenant(adapter)
  const lead = await tenant.distributedLead()
  const name = 'planted-7f3a'
  const kept = watchKeys(name)
  const json = { 'content-type': 'application/json' }
  const paths = ['', '/leads', `/leads/${name}`, '/clock', `/faults/${name}`, `/callbacks/${name}`, `/listener/${name}`]
  for (const path of paths)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      await adapter.request(method, `/_sandbox/v1/tenants/${name}${path}`, { headers: json, body: '{}' })
      await tenant.control(method, path.includes(name) ? path : `/${name}`, { headers: json, body: '{}' })
    }
  for (const action of ['reset', `snapshots/${name}/restore`, `snapshots/${name}/file`, `listener/${name}/take`]) {
    await adapter.request('POST', `/_sandbox/v1/tenants/${name}/${action}`, { headers: json, body: '{}' })
    await tenant.control('POST', `/${action}`, { headers: json, body: '{}' })
  }
  for (const target of [`/_sandbox/inbox/${name}`, `/_sandbox/advertiser/${name}/${name}`, `/${name}`])
    await adapter.request('GET', `${target}?lead_id=${name}`)
  for (const key of [name, `sandbox_pub_${name}_1`])
    await tenant.submitBody(tenant.body({ [name]: name, 'customer.external_id': name }), { apikey: key, [name]: name })
  await tenant.submitBody(tenant.body({ product_id: name }, `${name}@example.com`), { 'x-sandbox-scenario': name })
  await adapter.request('GET', `/api/v1/lead/${lead}/status?token=${name}&event=${name}&${name}=1`)
  await adapter.request('POST', `/api/v1/lead/${name}/status`, {
    body: { status: name },
    headers: { apikey: tenant.advertiserKey() },
  })
  expect(kept()).toEqual([])

  for (let nth = 0; nth < 2; nth++) {
    const made = await createTenant(adapter, { name, seed: name, settings: { status_vocabulary: 'any' } })
    const report = { status: name }
    await made.report(await made.distributedLead(), report)
    await made.client.snapshots.save('then')
    await made.client.snapshots.restore('then')
    await made.client.delete()
  }
  expect(kept()).toEqual([])
  await adapter.close()
})
