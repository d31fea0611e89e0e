// A process that commits leads in 16 loops until it is killed, and prints each lead once it is acknowledged.
import { openSqliteStorage } from '../sqlite-storage.ts'

const storage = await openSqliteStorage(process.argv[2] as string)
const tenant = storage.of('t1')

async function commitForEver(loop: number): Promise<never> {
  for (let n = 0; ; n++) {
    const lead_id = `${loop}-${n}`
    const email = `${lead_id}@example.com`
    await tenant.transact(async tables => {
      await tables.claimCustomer('p1', email, lead_id)
      await tables.addLead({
        ...{ lead_id, product_id: 'p1', email, status: 'new', received_at: n, trace: [], deliveries: [] },
        submission: { note: 'x'.repeat(500) } as never,
      })
    })
    // What the process still holds is lost with it: goes on once the pipe has the line.
    await new Promise(resolve => process.stdout.write(`${lead_id}\n`, resolve))
  }
}

await Promise.all(Array.from({ length: 16 }, (_, loop) => commitForEver(loop)))
