import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { basePath } from '@lead-distribution/contract'
import { sandboxPath } from '@lead-distribution/simulator'
import { controlDocument, serviceDocument } from '@lead-distribution/simulator/documents'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import { type DeclaredResponses, declaredBy, recorded } from '../openapi/declared-responses.fixture.ts'
import type { Adapter, OpenAdapter } from './adapter.ts'
import { openExpressAdapter } from './express-adapter.ts'
import { openMemoryAdapter } from './memory-adapter.ts'
import { openMswAdapter, whyNot } from './msw-adapter.ts'

/** The adapters by name. */
export const adapters = {
  memory: openComparedAdapter,
  'express + SQLite': openSqliteAdapter,
  'express + PostgreSQL': openPostgresAdapter,
  msw: openMswAdapter,
} as const satisfies Record<string, OpenAdapter>

/** The name of an adapter. */
export type AdapterName = keyof typeof adapters

declare module 'vitest' {
  interface ProvidedContext {
    /** The adapters of the current project (`vitest.config.ts`). */
    adapters: readonly AdapterName[]
    /** The PostgreSQL server of the project `postgres`, as its superuser; undefined in other projects. */
    postgresUrl?: string
  }
}

/** Returns the URL of a new schema in this run's PostgreSQL server. */
export async function emptyDatabase(): Promise<string> {
  const url = new URL(inject('postgresUrl') ?? 'there is no PostgreSQL')
  const schema = `e2e_${randomUUID().replaceAll('-', '')}`
  await queryDatabase(url.href, `create schema ${schema}`)
  url.searchParams.set('options', `-c search_path=${schema}`)
  // A busy machine must not look like a silent database.
  url.searchParams.set('statement_timeout', '60000')
  return url.href
}

/** Runs SQL next to the sandboxes and returns its rows. */
export async function queryDatabase(url: string, sql: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function openPostgresAdapter(): Promise<Adapter> {
  return openExpressAdapter({ data: await emptyDatabase() })
}

/** A server over its own SQLite file; closing it removes the file. */
export async function openSqliteAdapter(): Promise<Adapter> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-e2e-'))
  const adapter = await openExpressAdapter({ data: join(folder, 'sandbox.db') })
  return {
    ...adapter,
    async close() {
      await adapter.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a topic's scenarios in memory, because they do not depend on the adapter. */
export function inMemory(topic: string, scenarios: (adapter: Adapter) => void): void {
  describe(topic, () => scenarios(whileOpen(openComparedAdapter)))
}

/**
 * Runs a topic's scenarios on every adapter of the project: memory in `scenarios`, the others in `adapters`. A request
 * that cannot be made behind msw fails there: {@link canSend} says for which of its rows a topic has a test.
 */
export function onEveryAdapter(topic: string, scenarios: (adapter: Adapter, name: AdapterName) => void): void {
  describe.each(inject('adapters'))(`${topic}, on %s`, name => scenarios(whileOpen(adapters[name]), name))
}

/** True if an adapter can make a request: fetch and msw cannot send everything that a socket accepts. */
export function canSend(adapter: AdapterName, method: string, target: string): boolean {
  return adapter !== 'msw' || whyNot(method, target) === undefined
}

/**
 * Runs a topic's scenarios over every storage of the project, each through one adapter: memory in `scenarios`,
 * SQLite in `adapters`, PostgreSQL in `postgres`. What they show depends on what is stored, not on how it is asked for.
 */
export function onEveryStorage(topic: string, scenarios: (adapter: Adapter) => void): void {
  // msw uses the same storage as `memory`.
  const storages = inject('adapters').filter(name => name !== 'msw')
  describe.each(storages)(`${topic}, on %s`, name => scenarios(whileOpen(adapters[name])))
}

/** Compiled once per worker. */
let documents: Promise<DeclaredResponses> | undefined

/**
 * The sandbox in memory. Closing it fails if a response differed from the OpenAPI documents.
 * The other adapters respond alike.
 */
async function openComparedAdapter(): Promise<Adapter> {
  documents ??= declaredBy([
    serviceDocument([{ url: `http://127.0.0.1${basePath}` }]),
    controlDocument([{ url: `http://127.0.0.1${sandboxPath}` }], {}),
  ])
  const { adapter, differences } = recorded(await openMemoryAdapter(), await documents)
  return {
    ...adapter,
    async close() {
      await adapter.close()
      expect(differences()).toEqual([])
    },
  }
}

/** An adapter that is open during the tests of the surrounding suite. */
function whileOpen(open: OpenAdapter): Adapter {
  let opened: Adapter | undefined
  const adapter = () => {
    if (!opened) throw new Error('The adapter is open only while a test runs.')
    return opened
  }
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  return {
    get url() {
      return adapter().url
    },
    request: (...request) => adapter().request(...request),
    stream: (...request) => adapter().stream(...request),
    close: async () => undefined,
  }
}
