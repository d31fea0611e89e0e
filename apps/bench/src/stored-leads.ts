import { DatabaseSync } from 'node:sqlite'
import { submit } from './load.ts'
import { startSandboxOn } from './servers.ts'
import { usualLead } from './usual-lead.ts'

/** A place for data that is filled by rows. */
export interface LeadStore {
  /** The `--data` of a sandbox. */
  readonly data: string
  /** The number of a lead as eight hexadecimal digits, in SQL. */
  readonly hex: string
  run(statements: readonly string[]): Promise<unknown>
}

/** A store in a SQLite file. */
export function sqliteStore(data: string): LeadStore {
  return {
    data,
    hex: "printf('%08x', n)",
    async run(statements) {
      const database = new DatabaseSync(data)
      // No log: it would be as large as the file. Who opens the file next begins one.
      database.exec('pragma journal_mode = off; pragma synchronous = off')
      for (const sql of statements) database.exec(sql)
      database.close()
    },
  }
}

/** The address of a stored lead by its number. */
export const addressOf = (number: number) => `stored-${number}@example.com`

/**
 * Adds leads of the tenant `demo` up to a number, as rows: each as the server wrote one of the first two, but for its id and
 * its address; every tenth is rejected. Ids hold the number of the lead: the server goes on from the greatest.
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
