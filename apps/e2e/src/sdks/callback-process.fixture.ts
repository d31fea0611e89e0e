// A publisher's process that takes callbacks, with its claims in a SQLite file. It prints its address, then `handling`
// for each event; with `hang` its handler never ends.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { createCallbackReceiver, createKeyValueClaims } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'

const [file = '', how] = process.argv.slice(2)
const database = new DatabaseSync(file)
database.exec('CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, text TEXT, until INTEGER)')
const sql = {
  get: database.prepare('SELECT text FROM claims WHERE key = ? AND until > ?'),
  set: database.prepare('REPLACE INTO claims VALUES (?, ?, ?)'),
  add: database.prepare(
    `INSERT INTO claims VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET text = excluded.text, until = excluded.until WHERE until <= ?`,
  ),
  delete: database.prepare('DELETE FROM claims WHERE key = ?'),
}

const receive = createCallbackReceiver({
  verify: 'none',
  claims: createKeyValueClaims({
    get: async key => sql.get.get(key, Date.now())?.text as string | undefined,
    set: (key, text, ttlMs) => void sql.set.run(key, text, Date.now() + ttlMs),
    add: async (key, text, ttlMs) => sql.add.run(key, text, Date.now() + ttlMs, Date.now()).changes === 1,
    delete: key => void sql.delete.run(key),
  }),
  leaseMs: 60_000,
  async handle({ event }) {
    console.log(`handling ${event}`)
    if (how === 'hang') await new Promise(() => {})
  },
})

const server = createServer(nodeCallbacks(receive)).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`)
