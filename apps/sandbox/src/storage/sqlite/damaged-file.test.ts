import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SandboxServer, startServer } from '../../server.ts'
import { temporaryFile } from '../contract/storage.fixture.ts'
import { newestVersion } from '../sql/schema.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

async function served(data: string): Promise<SandboxServer> {
  const server = await startServer({ port: 0, logLevel: 'silent', data })
  onTestFinished(() => server.close())
  return server
}

async function submit(server: SandboxServer) {
  const account = server.account()
  const reply = await fetch(`${account.base_url}/lead`, {
    method: 'POST',
    headers: { apikey: account.publisher.api_key, 'content-type': 'application/json' },
    body: JSON.stringify(createTestLeads(account).distributed()),
  })
  return { status: reply.status, json: (await reply.json()) as { lead_id: string; error?: string } }
}

/** Creates a file with leads, and overwrites the page with the oldest one. */
async function damagedFile(): Promise<{ file: string; lead_id: string }> {
  const file = temporaryFile()
  const server = await startServer({ port: 0, logLevel: 'silent', data: file })
  const leads = []
  for (let n = 0; n < 40; n++) leads.push((await submit(server)).json.lead_id)
  await server.close()
  const [lead_id = ''] = leads
  const database = new DatabaseSync(file)
  // The first leaf of the leads' B-tree; the newest lead is in the last one.
  const leaves = database
    .prepare("select pgoffset, pgsize from dbstat where name = 'leads' and pagetype = 'leaf' order by path")
    .all() as { pgoffset: number; pgsize: number }[]
  database.close()
  expect(leaves.length).toBeGreaterThan(1)
  const [{ pgoffset, pgsize } = expect.unreachable()] = leaves
  const bytes = readFileSync(file)
  expect(bytes.subarray(pgoffset, pgoffset + pgsize).includes(lead_id)).toBe(true)
  writeFileSync(file, bytes.fill(0xff, pgoffset, pgoffset + pgsize))
  return { file, lead_id }
}

describe('a file with a damaged page', () => {
  it('works until the page is read, then refuses everything and reports bad health', async () => {
    const { file, lead_id } = await damagedFile()
    const server = await served(file)
    expect((await submit(server)).status).toBe(200)
    expect((await fetch(`${server.url}/_sandbox/health`)).status).toBe(200)

    const shown = await fetch(`${server.url}/_sandbox/v1/tenants/demo/leads/${lead_id}`)
    expect(shown.status).toBe(503)
    // Results of earlier health checks are cached for a second.
    await expect.poll(async () => (await fetch(`${server.url}/_sandbox/health`)).status).toBe(503)
    for (let n = 0; n < 3; n++) {
      const refused = await submit(server)
      expect([refused.status, refused.json.error]).toEqual([503, 'service_unavailable'])
      for (const path of ['health', 'health/ready']) {
        const health = await fetch(`${server.url}/_sandbox/${path}`)
        const { problem } = (await health.json()) as { problem: string }
        expect([health.status, problem]).toEqual([503, expect.stringContaining(`${file} is damaged`)])
        expect(problem).toContain('restore a backup, or delete the file to start fresh')
      }
    }
    expect((await fetch(`${server.url}/_sandbox/health/live`)).status).toBe(200)
  })
})

/** Creates a sandbox file, closes it, and edits it. */
async function editedFile(edit: string): Promise<string> {
  const file = temporaryFile()
  await (await openSqliteStorage(file)).close()
  const database = new DatabaseSync(file)
  database.exec(edit)
  database.close()
  return file
}

describe('a file with a wrong version', () => {
  it.each([
    ['user_version = 0', 'pragma user_version = 0', 'does not have the tables that its user_version 0 requires'],
    [
      'a negative user_version',
      'pragma user_version = -1',
      'does not have the tables that its user_version -1 requires',
    ],
    ['missing tables', 'drop table leads', `does not have the tables that its user_version ${newestVersion} requires`],
    ['a newer user_version', 'pragma user_version = 99', 'was written by a newer version of the sandbox'],
    ["another program's application_id", 'pragma application_id = 7', 'is a SQLite database of another program'],
  ])('is rejected unchanged with what to do: %s', async (_title, edit, says) => {
    const file = await editedFile(edit)
    const before = readFileSync(file)
    const refused = openSqliteStorage(file)
    await expect(refused).rejects.toThrow(`${file} ${says}`)
    await expect(refused).rejects.toThrow(/use another file/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('is rejected if it belongs to another program, with its permissions unchanged', async () => {
    const file = temporaryFile()
    const theirs = new DatabaseSync(file)
    theirs.exec('create table leads (name text)')
    theirs.close()
    chmodSync(file, 0o644)
    const before = readFileSync(file)
    await expect(openSqliteStorage(file)).rejects.toThrow('is a SQLite database of another program')
    expect(readFileSync(file).equals(before)).toBe(true)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('644')
  })

  it('is rejected unchanged if a pre-release build created it', async () => {
    const file = await editedFile(`pragma application_id = ${0x6c656164}; pragma user_version = 10`)
    const before = readFileSync(file)
    await expect(openSqliteStorage(file)).rejects.toThrow(
      `${file} was created by a pre-release build, which this sandbox cannot read. Start with another --data.`,
    )
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
