import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Lead } from '@lead-distribution/contract/shapes'
import { readLead } from './validate.ts'

type Reply = { status: number; body: object }

interface Waiting {
  readonly lead: Lead
  readonly reply: (reply: Reply) => void
}

/**
 * Creates a durable store as you would write it for a test server: it validates the shape, stores the customer, the
 * lead and the request in a SQLite file, and responds after the commit. Concurrent requests share a commit.
 */
export function createDurableStore() {
  const folder = mkdtempSync(join(tmpdir(), 'durable-'))
  const database = new DatabaseSync(join(folder, 'leads.db'))
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table customers (product_id text, email text, lead_id text, primary key (product_id, email)) without rowid;
    create table leads (lead_id text primary key, email text, status text, received_at integer, record text);
    create index leads_by_email on leads (email);
    create table requests (number integer primary key, at integer, status integer, lead_id text, record text);
  `)
  const claim = database.prepare('insert into customers values (?, ?, ?) on conflict do nothing')
  const addLead = database.prepare('insert into leads values (?, ?, ?, ?, ?)')
  const addRequest = database.prepare('insert into requests (at, status, lead_id, record) values (?, ?, ?, ?)')
  let waiting: Waiting[] = []
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit())

  function store({ lead }: Waiting): Reply {
    const at = Date.now()
    const lead_id = randomUUID()
    const email = lead.customer.contact.email.address.toLowerCase()
    const isNew = claim.run(lead.product_id, email, lead_id).changes === 1
    const status = isNew ? 'new' : 'rejected'
    if (isNew) addLead.run(lead_id, email, status, at, JSON.stringify(lead))
    addRequest.run(at, 200, isNew ? lead_id : null, JSON.stringify({ operation: 'submitLead', outcome: status }))
    return { status: 200, body: isNew ? { lead_id, status } : { status } }
  }

  function commit(): void {
    const batch = waiting
    waiting = []
    database.exec('begin immediate')
    const replies = batch.map(store)
    database.exec('commit')
    for (const [index, { reply }] of batch.entries()) reply(replies[index] as Reply)
  }

  return (body: unknown): Promise<Reply> => {
    const lead = readLead(body)
    if (!lead) return Promise.resolve({ status: 400, body: { error: 'validation_error' } })
    return new Promise(reply => {
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({ lead, reply })
    })
  }
}
