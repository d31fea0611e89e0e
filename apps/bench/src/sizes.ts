import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { percentile, runLoad } from './load.ts'
import { type Postgres, startSandboxOn } from './servers.ts'
import type { Target } from './target.ts'

const rounds = 10
const warmUp = 2
const requests = 1_000
const connections = 32

/** A place for data that is filled by rows. */
interface Store {
  readonly name: string
  readonly data: string
  /** The number of a lead as eight hexadecimal digits. */
  readonly hex: string
  run(statements: readonly string[]): Promise<void>
}

/**
 * `POST /lead` beside so many stored leads, and to a store that has only those of this measurement; they take turns. The
 * stored leads are rows, each as the server wrote the first of them but for its id and its address.
 */
export async function measureSizes(postgres: Postgres, sizes: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-sizes-'))
  try {
    console.log(`\nPOST /lead by stored leads, ${connections} connections, ${rounds} rounds of ${requests}`)
    const stores = [
      [sqliteStore(join(folder, 'few.db')), sqliteStore(join(folder, 'many.db'))],
      [await postgresStore(postgres, 'few'), await postgresStore(postgres, 'many')],
    ] as const
    for (const [few, many] of stores) {
      let stored = 0
      for (const size of sizes) {
        await fill(many, stored, size)
        stored = size
        await compare(few, many, size)
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function sqliteStore(data: string): Store {
  return {
    name: 'SQLite',
    data,
    hex: "printf('%08x', n)",
    async run(statements) {
      const database = new DatabaseSync(data)
      for (const sql of statements) database.exec(sql)
      database.exec('pragma wal_checkpoint(truncate)')
      database.close()
    },
  }
}

async function postgresStore(postgres: Postgres, schema: string): Promise<Store> {
  await postgres.run([`create schema ${schema}`])
  return {
    name: 'PostgreSQL',
    data: postgres.schema(schema),
    hex: "lpad(to_hex(n), 8, '0')",
    // What it would otherwise still have to write while it is measured.
    run: statements => postgres.run([...statements, 'analyze', 'checkpoint'], schema),
  }
}

const first = 'first-0@example.com'

/** Adds rows up to a number of leads. Ids hold the number of the lead: the server goes on from the greatest. */
async function fill(store: Store, from: number, to: number): Promise<void> {
  const server = await startSandboxOn(store.data)
  if (from === 0) await load(server, 'first', 1)
  await server.stop()
  const [address, key] = [
    "'stored-' || n || '@example.com'",
    `substr(${store.hex}, 1, 4) || '-' || substr(${store.hex}, 5)`,
  ]
  const id = `substr(lead_id, 1, 4) || ${key} || substr(lead_id, 14)`
  const numbers = `(with recursive numbers as (
    select ${Math.max(1, from)} as n union all select n + 1 from numbers where n < ${to - 1}) select n from numbers) as numbers`
  await store.run([
    `insert into leads
       (tenant, lead_id, product_id, email, status, rejection_reason, received_at, submission, trace, deliveries)
     select tenant, ${id}, product_id, ${address}, status, rejection_reason, received_at,
       replace(submission, email, ${address}), trace, replace(deliveries, lead_id, ${id})
     from leads cross join ${numbers} where email = '${first}' order by n`,
    `insert into customers (tenant, email, product_id, lead_id)
     select tenant, ${address}, product_id, ${id} from customers cross join ${numbers} where email = '${first}'`,
  ])
}

async function compare(few: Store, many: Store, size: number): Promise<void> {
  const targets = [await startSandboxOn(few.data), await startSandboxOn(many.data)] as const
  const waits: number[][] = [[], []]
  try {
    for (let round = -warmUp; round < rounds; round++)
      for (const [index, target] of targets.entries()) {
        const latencies = await load(target, `${size}-${round + warmUp}`, requests)
        if (round >= 0) waits[index]?.push(...latencies)
      }
  } finally {
    for (const target of targets) await target.stop()
  }
  const shown = waits.map(each => {
    const ascending = new Float64Array(each).sort()
    const at = (share: number) => percentile(ascending, share).toFixed(1)
    return `p50 ${at(0.5)}   p99 ${at(0.99)}   max ${at(1)} ms`
  })
  console.log(
    `  ${many.name.padEnd(10)} ${size.toLocaleString('en').padStart(9)}   ${shown[1]}   with few: ${shown[0]}`,
  )
}

async function load({ port }: Target, label: string, requests: number): Promise<Float64Array> {
  const { failures, latencies } = await runLoad({ port, connections: Math.min(connections, requests), requests, label })
  if (failures > 0) throw new Error(`${failures} of ${requests} leads did not get a 200: ${label}.`)
  return latencies
}
