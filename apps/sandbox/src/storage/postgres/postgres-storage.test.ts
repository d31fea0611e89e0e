import { setTimeout as wait } from 'node:timers/promises'
import { StorageUnavailable, TenantChanged, type TenantRecord } from '@lead-distribution/simulator'
import { ageMark, callbackRecord, leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { closing } from '../contract/storage.fixture.ts'
import { newestVersion } from '../sql/schema.ts'
import { emptyDatabase, query, serverUrl } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'

/** Opens two storages over one database, like two processes, with a tenant in both. */
async function twoProcesses() {
  const url = await emptyDatabase()
  const first = closing(await openPostgresStorage(url))
  await first.addTenant(tenantRecord('t1'))
  const second = closing(await openPostgresStorage(url))
  return { url, storages: [first, second], tenants: [first.of('t1'), second.of('t1')] as const }
}

describe('a PostgreSQL database', () => {
  it('creates its tables once, even if ten processes start together', async () => {
    const url = await emptyDatabase()
    const storages = await Promise.all(Array.from({ length: 10 }, () => openPostgresStorage(url)))
    const added = await Promise.all(storages.map(storage => storage.addTenant(tenantRecord('t1'))))
    expect(added.filter(isAdded => isAdded)).toHaveLength(1)
    expect(await storages[9]?.listTenants()).toEqual([{ tenant: 't1', record: tenantRecord('t1') }])
    const [newest] = await query('select max(number) as number from sandbox_versions', url)
    expect(newest).toEqual({ number: newestVersion })
    await Promise.all(storages.map(storage => storage.close()))
  })

  it("is rejected if it contains another program's tables or was written by a newer version", async () => {
    const other = await emptyDatabase()
    await query('create table theirs (id integer)', other)
    await expect(openPostgresStorage(other)).rejects.toThrow('contains tables of another program')
    const newer = await emptyDatabase()
    await (await openPostgresStorage(newer)).close()
    await query('insert into sandbox_versions values (999)', newer)
    await expect(openPostgresStorage(newer)).rejects.toThrow('by a newer version')
  })

  it('is rejected if it lacks a column', async () => {
    const url = await emptyDatabase()
    await (await openPostgresStorage(url)).close()
    await query('alter table leads drop column customer', url)
    await expect(openPostgresStorage(url)).rejects.toThrow('(it has no leads.customer). Restore a backup')
  })

  it('is rejected unchanged if a pre-release build created it', async () => {
    const url = await emptyDatabase()
    await query(
      `create table sandbox_migrations (number integer primary key);
       insert into sandbox_migrations select generate_series(1, 7);
       create table tenants (record text)`,
      url,
    )
    const tables = () =>
      query(
        `select table_name, column_name from information_schema.columns
         where table_schema = current_schema() order by table_name, column_name`,
        url,
      )
    const before = await tables()
    await expect(openPostgresStorage(url)).rejects.toThrow(
      /was created by a pre-release build.*Start with another --data.*export/,
    )
    expect(await tables()).toEqual(before)
    expect(await query('select count(*)::int as count from sandbox_migrations', url)).toEqual([{ count: 7 }])
  })

  it('grants an address to a lead of one process, and resolves a deadlock between groups of claims', async () => {
    const { tenants } = await twoProcesses()
    const addresses = Array.from({ length: 20 }, (_, n) => `${n}@example.com`)
    // Groups that claim in opposite orders deadlock; PostgreSQL aborts one of them.
    const claims = [addresses, addresses.toReversed()].flatMap((ordered, process) =>
      ordered.map(async email => {
        const claimed = await tenants[process as 0 | 1].transact(tables =>
          tables.claimCustomer('p1', email, `${process}`),
        )
        return claimed ? [email] : []
      }),
    )
    expect((await Promise.all(claims)).flat().sort()).toEqual(addresses.toSorted())
  })

  it('leases each callback to one of two processes', async () => {
    const { tenants } = await twoProcesses()
    const ids = Array.from({ length: 30 }, (_, n) => `c${n}`)
    await tenants[0].transact(async tables => {
      for (const id of ids) await tables.addCallback(callbackRecord(id, `lead of ${id}`))
    })
    const lease = { due_by: 100, now: 0, until: 1_000, limit: 4 }
    const leased = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        tenants[(n % 2) as 0 | 1].transact(tables => tables.leaseDueCallbacks(lease)),
      ),
    )
    expect(
      leased
        .flat()
        .map(({ callback_id }) => callback_id)
        .sort(),
    ).toEqual(ids.toSorted())
  })

  it('lets the holder of an expired lease write until another process acquires it', async () => {
    const { url, storages } = await twoProcesses()
    const [first, second] = storages
    const held = first?.of('t1', { content: () => undefined, lease: 'clock' })
    const write = (now: number) => held?.transact(tables => tables.writeDocument('clock', { mode: 'frozen', now }))
    const late = () => query('update leases set until = 0', url)
    await first?.shared?.exclusive('t1', 'clock', async () => {
      await late()
      await write(1)
      await late()
      await second?.shared?.exclusive('t1', 'clock', async () => undefined)
      await expect(write(2)).rejects.toBeInstanceOf(TenantChanged)
    })
    expect(await second?.of('t1').read(tables => tables.readDocuments())).toEqual({ clock: { mode: 'frozen', now: 1 } })
  })

  it('advances a chain across processes', async () => {
    const { tenants } = await twoProcesses()
    const count = (n: number) =>
      tenants[(n % 2) as 0 | 1].transact(async tables =>
        tables.setChain('chain', (await tables.readChain('chain')) + 1),
      )
    await Promise.all(Array.from({ length: 20 }, (_, n) => count(n)))
    expect(await tenants[0].transact(tables => tables.readChain('chain'))).toBe(20)
  })

  it('shows what another process stored for an address, and increments a document concurrently', async () => {
    const { tenants } = await twoProcesses()
    const refuse = (n: number) =>
      tenants[(n % 2) as 0 | 1].transact(async tables => {
        const customer = await tables.findCustomer('p1', 'ana@example.com')
        if (!customer) await tables.markRefused('p1', 'ana@example.com', n)
        const { ages = [] } = await tables.readDocuments()
        await tables.writeDocument('ages', [...ages, ageMark(ages.length)])
        return customer !== undefined
      })
    const known = await Promise.all(Array.from({ length: 12 }, (_, n) => refuse(n)))
    expect(known.filter(isKnown => !isKnown)).toHaveLength(1)
    expect((await tenants[0].transact(tables => tables.readDocuments())).ages).toHaveLength(12)
  })

  it('writes nothing to a tenant that another process has reset', async () => {
    const { storages, tenants } = await twoProcesses()
    await tenants[1].transact(tables => tables.addLead(leadRecord('l1')))
    await storages[0]?.clearTenant(tenantRecord('t1'))
    await tenants[1].transact(tables => tables.addLead(leadRecord('l2')))
    const found = await tenants[0].transact(tables => tables.listLeads({ limit: 9 }))
    expect(found.map(({ lead_id }) => lead_id)).toEqual(['l2'])
  })

  it('restores a snapshot once, even if its lease is renewed meanwhile', async () => {
    const { storages, tenants } = await twoProcesses()
    const [storage = expect.fail('There is no storage.')] = storages
    await tenants[0].transact(tables => tables.addLead(leadRecord('l1')))
    await storage.saveSnapshot('t1', { name: 'a', saved_at: 5 })
    const finish = vi.fn(async (record: TenantRecord) => {
      // Longer than the renewal interval of the lease.
      await wait(1_500)
      return { record }
    })
    await storage.shared?.exclusive('t1', 'change', () => storage.restoreSnapshot('t1', 'a', finish))
    expect(finish).toHaveBeenCalledTimes(1)
    const found = await tenants[1].transact(tables => tables.listLeads({ limit: 9 }))
    expect(found.map(({ lead_id }) => lead_id)).toEqual(['l1'])
  })

  it('saves a consistent snapshot while another process adds leads and customers', async () => {
    const { storages, tenants } = await twoProcesses()
    const [storage = expect.fail('There is no storage.')] = storages
    let adds = true
    const adding = (async () => {
      for (let n = 0; adds; n++)
        await tenants[1].transact(async tables => {
          await tables.claimCustomer('p1', `c${n}@example.com`, `l${n}`)
          await tables.addLead({ ...leadRecord(`l${n}`), email: `c${n}@example.com` })
        })
    })()
    for (let n = 0; n < 20; n++) await storage.saveSnapshot('t1', { name: `s${n}`, saved_at: n })
    adds = false
    await adding
    for (let n = 0; n < 20; n++) {
      const snapshot = await storage.openSnapshot('t1', `s${n}`)
      const counts = snapshot?.storage.read(async tables => {
        const customers = await tables.listCustomers(9_999)
        return [customers.length, (await tables.listLeads({ limit: 9_999 })).length]
      })
      const [customers, leads] = (await counts) ?? []
      expect(customers).toBe(leads)
    }
  })
})

it('takes two round trips for a single submission, and one commit for many together', async () => {
  const storage = closing(await openPostgresStorage(await emptyDatabase()))
  await storage.addTenant(tenantRecord('t1'))
  const [found] = (await storage.shared?.readChanges(false))?.tenants ?? []
  const { content, version } = found ?? expect.fail('There is no tenant.')
  const tenant = storage.of('t1', { content: () => content, version })
  const submit = (id: string, isStreamed = false) =>
    tenant.transact(async tables => {
      await tables.findCustomer('p1', id)
      await tables.claimCustomer('p1', id, id)
      await tables.addLead(leadRecord(id))
      if (isStreamed) await tables.addStreamEvents?.([{ type: 'lead', tenant: 't1' }])
    })
  await submit('first')
  const sent = countRoundTrips()
  await submit('second')
  // Reads and the customer go with `begin`; the claim and the lead go with `commit`.
  expect(sent.roundTrips()).toBe(2)
  await submit('streamed', true)
  expect(sent.roundTrips()).toBe(4)
  const before = sent.commits()
  await Promise.all(Array.from({ length: 20 }, (_, n) => submit(`${n}`)))
  expect(sent.commits() - before).toBe(1)
})

it('batches the rows of many transactions, in order, before any statement that reads them', async () => {
  const url = await emptyDatabase()
  const storage = closing(await openPostgresStorage(url))
  await storage.addTenant(tenantRecord('t1'))
  const ids = Array.from({ length: 43 }, (_, n) => `lead-${String(n).padStart(2, '0')}`)
  const sending = vi.spyOn(Client.prototype, 'query')
  onTestFinished(() => sending.mockRestore())
  const tenant = storage.of('t1')
  await Promise.all(ids.map(id => tenant.transact(tables => tables.addLead(leadRecord(id)))))
  const texts = sending.mock.calls.map(([sent]: unknown[]) => String((sent as { text?: string }).text))
  expect(texts.filter(text => text.startsWith('insert into leads')).length).toBeLessThan(10)
  expect(await query('select lead_id from leads order by ctid', url)).toEqual(ids.map(lead_id => ({ lead_id })))
  const found = tenant.transact(async tables => {
    await tables.addLead(leadRecord('read'))
    return tables.findLead('read')
  })
  expect(await found).toEqual(leadRecord('read'))
})

it('keeps the rows of the others if one row is refused', async () => {
  const storage = closing(await openPostgresStorage(await emptyDatabase()))
  await storage.addTenant(tenantRecord('t1'))
  const add = (id: string) => storage.of('t1').transact(tables => tables.addLead(leadRecord(id)))
  const added = await Promise.allSettled(['a', 'b', 'a', 'c'].map(add))
  expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect((await storage.of('t1').read(tables => tables.listLeads({ limit: 9 }))).map(({ lead_id }) => lead_id)).toEqual(
    ['c', 'b', 'a'],
  )
})

/** Counts round trips: statements sent together, without a response in between, are one. */
function countRoundTrips() {
  let [answered, deepest, commits] = [0, 0, 0]
  const send = Client.prototype.query as (...given: unknown[]) => Promise<unknown>
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...given: unknown[]) {
    const depth = answered + 1
    deepest = Math.max(deepest, depth)
    if (given[0] === 'commit') commits += 1
    const result = Reflect.apply(send, this, given)
    result.then(
      () => {
        answered = Math.max(answered, depth)
      },
      () => undefined,
    )
    return result
  } as never)
  onTestFinished(() => spy.mockRestore())
  return { roundTrips: () => deepest, commits: () => commits }
}

describe('an error', () => {
  const password = 'not/a+secret'

  /** Returns everything about an error that a log might contain. */
  const everythingOf = (error: unknown): string => {
    const { message, stack, cause } = error as Error
    return [message, stack, JSON.stringify(error), cause ? everythingOf(cause) : ''].join('\n')
  }

  async function errorOf(url: string): Promise<unknown> {
    return openPostgresStorage(url).then(
      () => expect.fail('It was opened.'),
      error => error,
    )
  }

  const changed = (change: Partial<URL>) => Object.assign(new URL(serverUrl()), change).href

  it.each<[string, string, Partial<URL>]>([
    ['a wrong password', 'refuses the user or the password', { password: 'wrong-Secret' }],
    ['a wrong port', 'does not respond (ECONNREFUSED)', { port: '1' }],
    ['a missing database', 'does not exist: create the database', { pathname: '/nowhere' }],
    ['an unknown host', 'does not respond (', { hostname: 'nowhere.invalid' }],
  ])('names the database and what to do, without the password: %s', async (_title, part, change) => {
    const error = await errorOf(changed(change))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect(everythingOf(error)).toContain('PostgreSQL at ')
    expect(everythingOf(error)).toContain(part)
    for (const secret of [password, encodeURIComponent(password), 'wrong-Secret'])
      expect(everythingOf(error)).not.toContain(secret)
  })

  it.each([
    ['postgres://lead:not a secret@[::', 'malformed'],
    ['postgres://lead:secret@127.0.0.1/leads?pool_size=101', 'pool_size'],
    ['postgres://lead:secret@127.0.0.1/leads?statement_timeout=1s', 'statement_timeout'],
  ])('does not repeat an invalid URL', async (url, part) => {
    const error = await errorOf(url)
    expect(everythingOf(error)).toContain(part)
    expect(everythingOf(error)).not.toContain('secret@')
  })

  it('from a statement names the table and the constraint, and nothing from the lead', async () => {
    const storage = closing(await openPostgresStorage(await emptyDatabase()))
    await storage.addTenant(tenantRecord('t1'))
    const add = () =>
      storage.of('t1').transact(tables => tables.addLead(leadRecord('l1', { email: 'ana@example.com' })))
    await add()
    const error = await add().catch(failed => failed)
    expect(error.message).toContain('(23505, table leads, constraint leads_key)')
    expect(everythingOf(error)).not.toMatch(/ana@|l1/)
  })
})
