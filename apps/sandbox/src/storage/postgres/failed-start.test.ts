import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFile } from '../contract/storage.fixture.ts'
import { openSqliteStorage } from '../sqlite/sqlite-storage.ts'
import { emptyDatabase, query, serverUrl } from './database.fixture.ts'
import { launch } from './launch.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'

/** The sandbox cannot add its demo tenant, which it finds out after opening the storage. */
const refuseTenants = `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
  create trigger refuse before insert on tenants for each row execute function refuse()`

/** Creates a database with the sandbox's tables, and runs this SQL on it. */
async function databaseWith(sql: string): Promise<string> {
  const url = await emptyDatabase()
  await (await openPostgresStorage(url)).close()
  await query(sql, url)
  return url
}

/** Creates a database with another encoding. */
function databaseIn(encoding: string): () => Promise<string> {
  return async () => {
    const name = `in_${encoding.toLowerCase()}_${process.pid}_${Date.now()}`
    await query(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
    onTestFinished(async () => void (await query(`drop database ${name} with (force)`)))
    const url = new URL(serverUrl())
    url.pathname = name
    return url.href
  }
}

async function refusingFile(): Promise<string> {
  const path = temporaryFile()
  await (await openSqliteStorage(path)).close()
  const database = new DatabaseSync(path)
  database.exec(`create trigger refuse before insert on tenants begin select raise(abort, 'refused'); end`)
  database.close()
  return path
}

function refusedTenant(): string {
  const path = temporaryFile('sandbox.json')
  writeFileSync(path, JSON.stringify({ tenants: [{ name: 'qa', advertisers: [{ name: 'One' }, { name: 'One' }] }] }))
  return path
}

async function usedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return String((server.address() as AddressInfo).port)
}

/** Starts a server that refuses connections like PgBouncer, because of an unknown setting. */
async function pooler(): Promise<string> {
  const fields = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: lock_timeout\0\0')
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  const server = createServer(socket => socket.once('data', () => socket.end(Buffer.concat([head, fields]))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `postgres://lead@127.0.0.1:${(server.address() as AddressInfo).port}/sandbox`
}

it.each<[string, () => Promise<string>, () => Promise<string[]>, number, RegExp]>([
  ['is behind a pooler', pooler, async () => [], 1, /not a pooler such as PgBouncer \(08P01\)/],
  ['rejects the demo tenant', () => databaseWith(refuseTenants), async () => [], 1, /refused a statement/],
  ['rejects the demo tenant, as a file', refusingFile, async () => [], 1, /refused/],
  ['is in LATIN1', databaseIn('LATIN1'), async () => [], 1, /The database in_latin1_\S+ of .* has the encoding LATIN1/],
  ['is in EUC_JP', databaseIn('EUC_JP'), async () => [], 1, /The database in_euc_jp_\S+ of .* has the encoding EUC_JP/],
  ['is in SQL_ASCII', databaseIn('SQL_ASCII'), async () => [], 1, /has the encoding SQL_ASCII.* encoding 'UTF8'/],
  ['cannot be inspected', () => databaseWith('drop table gone'), async () => [], 1, /refused a statement/],
  [
    'is unreachable after the port turns out to be in use',
    emptyDatabase,
    async () => ['--port', await usedPort()],
    2,
    /is in use/,
  ],
  [
    'gets a configuration with a rejected tenant',
    emptyDatabase,
    async () => ['--config', refusedTenant()],
    2,
    /advertisers/,
  ],
])('exits with the reason if its database %s', async (_title, data, flags, code, reason) => {
  const { exit } = launch(await data(), ...(await flags()))
  expect(await exit).toEqual({ end: code, said: expect.stringMatching(reason) })
})
