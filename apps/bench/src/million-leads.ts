import { DatabaseSync } from 'node:sqlite'
import { demoAccount } from '@lead-distribution/simulator'
import { startSandboxOn } from './servers.ts'
import { usualLead } from './usual-lead.ts'

/**
 * Fills a SQLite file with leads of the tenant `demo`, by copying the rows of two that were really submitted: each has its
 * own id and address, every tenth is rejected. Customers are left out: no list reads them.
 */
export async function fillWithLeads(file: string, count: number): Promise<void> {
  const sandbox = await startSandboxOn(file)
  const poor = usualLead('bench-1@example.com')
  Object.assign(poor.customer.profile ?? {}, { monthly_income: 0 })
  for (const lead of [usualLead('bench-0@example.com'), poor]) {
    const response = await fetch(`http://127.0.0.1:${sandbox.port}/api/v1/lead`, {
      method: 'POST',
      headers: { apikey: demoAccount.publisher_key, 'content-type': 'application/json' },
      body: JSON.stringify(lead),
    })
    if (!response.ok) throw new Error(`The sandbox responded ${response.status}: ${await response.text()}`)
  }
  await sandbox.stop()
  const database = new DatabaseSync(file)
  // No log: it would be as large as the file. Who opens the file next begins one.
  database.exec('pragma journal_mode = off; pragma synchronous = off')
  database.prepare(copies).run({ count })
  database.close()
}

/** An id begins with four digits of its tenant and eight of its number, so that ids grow. */
const copies = `
  with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n + 1 < :count)
  insert into leads
    (tenant, lead_id, product_id, email, status, rejection_reason, received_at, submission, trace, deliveries)
  select tenant,
    substr(lead_id, 1, 4) || printf('%04x-%04x', n >> 16, n & 65535) || substr(lead_id, 14),
    product_id, printf('bench-%d@example.com', n), status, rejection_reason, received_at,
    replace(submission, email, printf('bench-%d@example.com', n)), trace, deliveries
  from numbers
  join leads on lead_id = (
    select lead_id from leads where status = case when n % 10 = 0 then 'rejected' else 'distributed' end
    order by seq limit 1)`
