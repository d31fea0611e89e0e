// A process that is killed while it writes to the file or database of its first argument, in the mode of its second. It
// prints a line after each acknowledged write.
import type { TenantRecord } from '@lead-distribution/simulator'
import { leadRecord } from '@lead-distribution/simulator/records.fixture'
import { isDatabaseUrl } from '../postgres/database-url.ts'
import { openPostgresStorage } from '../postgres/postgres-storage.ts'
import { openSqliteStorage } from '../sqlite/sqlite-storage.ts'

const [, , file = '', way] = process.argv
// Checkpoints run constantly, in a thread and with transactions waiting, so that a kill hits both.
const checkpoint = way === 'checkpoint' ? { checkpoint: { afterMs: 0, maxPages: 50, threadFrom: 0 } } : {}
const storage = await (isDatabaseUrl(file) ? openPostgresStorage(file) : openSqliteStorage(file, checkpoint))
const tenant = storage.of('t1')

// Waits until the pipe has the line, because buffered output is lost with the process.
const print = (line: string) => new Promise(resolve => process.stdout.write(`${line}\n`, resolve))

async function commitForEver(loop: number): Promise<never> {
  for (let n = 0; ; n++) {
    const lead_id = `${loop}-${n}`
    const email = `${lead_id}@example.com`
    await tenant.transact(async tables => {
      await tables.claimCustomer('p1', email, lead_id)
      await tables.addLead({
        lead_id,
        product_id: 'p1',
        email,
        status: 'new',
        received_at: n,
        trace: [],
        deliveries: [],
        submission: { ...leadRecord(lead_id).submission, note: 'x'.repeat(500) } as never,
      })
    })
    await print(lead_id)
  }
}

/** Restores two snapshots in turn, and saves the tenant as a third. */
async function restoreForEver(): Promise<never> {
  for (let n = 0; ; n++) {
    await storage.restoreSnapshot('t1', n % 2 === 0 ? 'odd' : 'even', async record => ({ record }))
    await print(`restored ${n}`)
    await storage.saveSnapshot('t1', { name: 'last', saved_at: n })
    await print(`saved ${n}`)
  }
}

/** Creates tenants with leads, and deletes each while the next one is filled. */
async function deleteForEver(): Promise<never> {
  const record = (await storage.listTenants())[0]?.record as TenantRecord | undefined
  if (!record) throw new Error('There is no tenant t1.')
  for (let n = 0; ; n++) {
    const name = `made-${n}`
    await storage.addTenant({ ...record, tenant: name })
    const fill = storage.of(name).transact(async tables => {
      for (let lead = 0; lead < 40; lead++) await tables.claimCustomer('p1', `${n}-${lead}@example.com`, `${lead}`)
    })
    await Promise.all([fill, n > 0 ? storage.deleteTenant(`made-${n - 1}`) : undefined])
    await print(name)
  }
}

if (way === 'delete') await deleteForEver()
else if (way !== 'restore') await Promise.all(Array.from({ length: 16 }, (_, loop) => commitForEver(loop)))
else await restoreForEver()
