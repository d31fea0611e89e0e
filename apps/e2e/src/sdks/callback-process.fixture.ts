// A publisher's process that receives callbacks, with claims in a SQLite file. It prints its address, then `handling`
// for each event; with `hang` its handler never ends.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'

const [file = '', how] = process.argv.slice(2)
const database = new DatabaseSync(file)
database.exec('CREATE TABLE IF NOT EXISTS claims (lead_id, event, token, until, PRIMARY KEY (lead_id, event))')
const sql = {
  claim: database.prepare(
    `INSERT INTO claims VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET token = excluded.token, until = excluded.until WHERE until <= ?`,
  ),
  isConfirmed: database.prepare('SELECT 1 FROM claims WHERE lead_id = ? AND event = ? AND until IS NULL'),
  confirm: database.prepare('REPLACE INTO claims VALUES (?, ?, ?, NULL)'),
  release: database.prepare('DELETE FROM claims WHERE lead_id = ? AND event = ? AND token = ? AND until IS NOT NULL'),
}

const receive = createCallbackReceiver({
  verify: 'none',
  claims: {
    claim({ lead_id, event, token, leaseMs }) {
      const now = Date.now()
      if (sql.claim.run(lead_id, event, token, now + leaseMs, now).changes === 1) return 'claimed'
      return sql.isConfirmed.get(lead_id, event) ? 'done' : 'busy'
    },
    confirm: ({ lead_id, event, token }) => sql.confirm.run(lead_id, event, token),
    release: ({ lead_id, event, token }) => sql.release.run(lead_id, event, token),
  },
  leaseMs: 60_000,
  async handle({ event }) {
    console.log(`handling ${event}`)
    if (how === 'hang') await new Promise(() => {})
  },
})

const server = createServer(nodeCallbacks(receive)).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`)
