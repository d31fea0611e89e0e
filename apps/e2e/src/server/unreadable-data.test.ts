import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSandboxClient } from '@lead-distribution/control-client'
import { startServer } from '@lead-distribution/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcher } from '../adapters/command-line.ts'

const { run, start } = launcher()

/** The file of a sandbox that ran with a tenant qa and was edited since. */
async function storedFile(edit: (database: DatabaseSync) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'unreadable-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'sandbox.db')
  const server = await startServer({ port: 0, data: file, logLevel: 'silent' })
  await createSandboxClient({ baseUrl: server.url }).createTenant({ name: 'qa' })
  await server.close()
  const database = new DatabaseSync(file)
  edit(database)
  database.close()
  return file
}

/** Documents that older versions accepted from a snapshot and then could not start with. */
const impossibleClock = (tenant: string) => (database: DatabaseSync) =>
  database
    .prepare(`insert or replace into documents select tenant, 'clock', ? from tenants where name = ?`)
    .run(JSON.stringify({ mode: 'frozen', now: Number.MAX_SAFE_INTEGER }), tenant)

describe('a sandbox on unreadable data', () => {
  it('starts with a broken tenant, names file and tenant, and lets the command line list and reset it', async () => {
    const file = await storedFile(impossibleClock('qa'))
    const server = await start('--data', file)
    const verb = (...args: string[]) => run(...args, '--sandbox', server.url).exit
    const listed = await verb('tenants', 'list')
    expect(listed.stdout).toMatch(/broken tenant +reason\s+qa +its stored documents: clock.now/)
    const raw = await verb('tenants', 'raw', 'qa')
    expect(JSON.parse(raw.stdout)).toMatchObject({ tenant: 'qa', record: { tenant: 'qa' } })
    const exported = `${file}.json`
    writeFileSync(exported, '', { mode: 0o644 })
    expect(await verb('tenants', 'raw', 'qa', exported)).toMatchObject({ code: 0 })
    expect([readFileSync(exported, 'utf8'), statSync(exported).mode & 0o777]).toEqual([raw.stdout, 0o600])
    const refused = await verb('leads', 'list', '--tenant', 'qa')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The tenant qa is broken: its stored')])
    expect(await verb('reset', '--tenant', 'qa')).toMatchObject({ code: 0 })
    expect((await verb('leads', 'list', '--tenant', 'qa')).code).toBe(0)
    server.child.kill('SIGTERM')
    const { code, stderr } = await server.exit
    expect([code, stderr]).toEqual([0, expect.stringContaining(`The tenant qa in ${file} is broken: its stored`)])
  })

  it('starts with a broken demo tenant, and says so instead of showing its account', async () => {
    const file = await storedFile(impossibleClock('demo'))
    const server = await start('--data', file)
    expect(server).toMatchObject({
      ready: true,
      problem: expect.stringContaining('The tenant demo is broken: its stored'),
    })
    expect(server.base_url).toBe(`${server.url}/api/v1`)
    expect(await run('reset', '--sandbox', server.url).exit).toMatchObject({ code: 0 })
  })

  it.each([
    [
      'with a wrong user_version',
      'pragma user_version = -2',
      'does not have the tables that its user_version -2 requires',
    ],
    [
      'of an unreleased build',
      `pragma application_id = ${0x6c656164}; pragma user_version = 10`,
      'was created by a pre-release build',
    ],
    ['of a newer version', 'pragma user_version = 99', 'was written by a newer version of the sandbox'],
    ['of another program', 'pragma application_id = 7', 'is a SQLite database of another program'],
  ])('exits with 1 on a file %s, and says what to do', async (_title, edit, says) => {
    const file = await storedFile(database => database.exec(edit))
    const { code, stdout, stderr } = await run('start', '--port', '0', '--data', file).exit
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${file} ${says}`)])
    expect(stderr).toMatch(/use another file|Start with another --data/)
  })

  it.each([
    ['its first bytes', () => 0, 'is not a SQLite database: use another file'],
    ['everything after its first page', pageSize, 'is damaged: stop the sandbox that uses it and restore a backup'],
  ])('exits with 1 on a file with %s overwritten', async (_title, from, says) => {
    const file = await storedFile(() => undefined)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, from(bytes)))
    const { code, stdout, stderr } = await run('start', '--port', '0', '--data', file).exit
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${file} ${says}`)])
  })
})

/** The page size in a SQLite file's header. */
function pageSize(bytes: Buffer): number {
  return bytes.readUInt16BE(16)
}
