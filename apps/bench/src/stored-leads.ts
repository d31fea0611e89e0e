import { DatabaseSync } from 'node:sqlite'
import { submit } from './load.ts'
import { startSandboxOn } from './servers.ts'
import { usualLead } from './usual-lead.ts'

/** A database to insert leads into directly. */
export interface LeadStore {
  /** The sandbox's `--data`. */
  readonly data: string
  /** A SQL expression for a lead's number as eight hexadecimal digits. */
  readonly hex: string
  run(statements: readonly string[]): Promise<unknown>
}

/** Returns the store of a SQLite file. */
export function sqliteStore(data: string): LeadStore {
  return {
    data,
    hex: "printf('%08x', n)",
    async run(statements) {
      const database = new DatabaseSync(data)
      // No write-ahead log: it would be as large as the file. The next process to open the file starts one.
      database.exec('pragma journal_mode = off; pragma synchronous = off')
      for (const sql of statements) database.exec(sql)
      database.close()
    },
  }
}

/** Returns the email address of a stored lead. */
export const addressOf = (number: number) => `stored-${number}@example.com`

/**
 * Inserts leads into the tenant `demo`, from one number to another. The server writes the first two; the rows are
 * copies with other ids and addresses, and one in ten is rejected. Ids contain the lead's number: the server continues
 * after the greatest.
 */
export async function fillWithLeads(store: LeadStore, from: number, to: number): Promise<void> {
  await using server = from === 0 ? await startSandboxOn(store.data) : undefined
  if (server) {
    const poor = usualLead(addressOf(1))
    Object.assign(poor.customer.profile ?? {}, { monthly_income: 0 })
    for (const lead of [usualLead(addressOf(0)), poor]) await submit(server.port, lead)
  }
  await server?.[Symbol.asyncDispose]()
  const [address, key] = [
    "'stored-' || n || '@example.com'",
    `substr(${store.hex}, 1, 4) || '-' || substr(${store.hex}, 5)`,
  ]
  const id = `substr(lead_id, 1, 4) || ${key} || substr(lead_id, 14)`
  const first = `case when n % 10 = 0 then '${addressOf(1)}' else '${addressOf(0)}' end`
  const numbers = `(with recursive numbers as (
    select ${Math.max(2, from)} as n union all select n + 1 from numbers where n < ${to - 1}) select n from numbers) as numbers`
  await store.run([
    `insert into leads (tenant, lead_id, product_id, email, status, rejection_reason, received_at, data)
     select tenant, ${id}, product_id, ${address}, status, rejection_reason, received_at,
       replace(replace(data, email, ${address}), lead_id, ${id})
     from leads cross join ${numbers} where email = ${first} order by n`,
    `insert into customers (tenant, email, product_id, lead_id)
     select tenant, ${address}, product_id, ${id} from customers cross join ${numbers} where email = '${addressOf(0)}'`,
  ])
}
