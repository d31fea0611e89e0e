import { join } from 'node:path'
import { inTurns, runLoad, waitsText } from './load.ts'
import { type Postgres, startSandboxOn, temporaryFolder } from './servers.ts'
import { fillWithLeads, type LeadStore, sqliteStore } from './stored-leads.ts'

const rounds = 10
const warmUp = 2
const requests = 1_000
const connections = 32

/** Measures `POST /lead` with many stored leads, in turns with a store that has only this measurement's leads. */
export async function measureSizes(postgres: Postgres, sizes: readonly number[]): Promise<void> {
  await using folder = await temporaryFolder()
  console.log(`\nPOST /lead by stored leads, ${connections} connections, ${rounds} rounds of ${requests}`)
  const stores = {
    SQLite: [sqliteStore(join(folder.path, 'few.db')), sqliteStore(join(folder.path, 'many.db'))],
    PostgreSQL: [await postgresStore(postgres, 'few'), await postgresStore(postgres, 'many')],
  } as const
  for (const [name, [few, many]] of Object.entries(stores)) {
    let stored = 0
    for (const size of sizes) {
      await fillWithLeads(many, stored, size)
      stored = size
      await compare(name, few, many, size)
    }
  }
}

async function postgresStore(postgres: Postgres, schema: string): Promise<LeadStore> {
  await postgres.run([`create schema ${schema}`])
  return {
    data: postgres.schema(schema),
    hex: "lpad(to_hex(n), 8, '0')",
    // Otherwise PostgreSQL would do this work during the measurement.
    run: statements => postgres.run([...statements, 'analyze', 'checkpoint'], schema),
  }
}

async function compare(name: string, few: LeadStore, many: LeadStore, size: number): Promise<void> {
  await using beside = await startSandboxOn(few.data)
  await using target = await startSandboxOn(many.data)
  const results = await inTurns({ many: target, few: beside }, { rounds, warmUp }, ({ port }, turn) =>
    runLoad({ port, connections, requests, label: `${size}-${turn}` }),
  )
  const [ours, others] = [...results.values()].map(measured =>
    waitsText(
      measured.map(({ latencies }) => latencies),
      0.5,
      0.99,
    ),
  )
  console.log(`  ${name.padEnd(10)} ${size.toLocaleString('en').padStart(9)}   ${ours}   with few: ${others}`)
}
