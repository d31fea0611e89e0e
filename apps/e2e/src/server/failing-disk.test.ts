import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { submissionOf } from '../adapters/tenant.ts'

const { run, start } = launcher()

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'failing-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'sandbox.db')
}

/** A server over a file, and what to ask of it. */
async function serverOn(file: string) {
  const server = await start('--data', file)
  const submit = async (name: string) => {
    const response = await fetch(`${server.base_url}/lead`, {
      method: 'POST',
      headers: { apikey: server.tenant.publisher.api_key, 'content-type': 'application/json' },
      body: JSON.stringify(submissionOf(server.tenant, `${name}@example.com`)),
    })
    const { status, error } = (await response.json()) as { status?: string; error?: string }
    return [response.status, status ?? error, response.headers.get('retry-after')]
  }
  const health = async () => {
    const response = await fetch(`${server.url}/_sandbox/health`)
    return [response.status, await response.json()]
  }
  return { ...server, submit, health }
}

const distributed = [200, 'distributed', null]
const unavailable = [503, 'service_unavailable', '5']
const ok = [200, { status: 'ok' }]

function expectSound(file: string): void {
  const database = new DatabaseSync(file)
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.close()
}

// A limit on the size of files takes the place of the full disk, since it needs no rights: prlimit is of Linux.
it.runIf(process.platform === 'linux')(
  'refuses leads while the disk takes no more, says why, and takes them again once it does',
  async () => {
    const file = temporaryFile()
    const { child, exit, submit, health } = await serverOn(file)
    const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`])

    expect([await submit('before'), await health()]).toEqual([distributed, ok])
    limit('4096')
    for (let n = 0; n < 20; n++) expect(await submit(`refused-${n}`)).toEqual(unavailable)
    const problem = expect.stringContaining(`${file} cannot be read or written: check its disk`)
    expect(await health()).toEqual([503, { status: 'failing', problem }])

    limit('unlimited')
    expect([await submit('refused-0'), await submit('before')]).toEqual([distributed, [200, 'rejected', null]])
    await expect.poll(health).toEqual(ok)
    child.kill('SIGTERM')
    const { code, stderr } = await exit
    // The log names the problem once, not for each call.
    expect([code, stderr.match(/^.*cannot be read or written.*$/gm)?.length]).toEqual([0, 1])
    expectSound(file)
  },
)

it('refuses leads once its file is deleted, and takes them again once it is back', async () => {
  const file = temporaryFile()
  const { child, exit, submit, health } = await serverOn(file)
  expect(await submit('before')).toEqual(distributed)
  renameSync(file, `${file}.moved`)
  expect(await submit('while')).toEqual(unavailable)
  const problem = expect.stringContaining(`${file} was deleted or replaced while the sandbox was running`)
  expect(await health()).toEqual([503, { status: 'failing', problem }])
  renameSync(`${file}.moved`, file)
  expect(await submit('while')).toEqual(distributed)
  await expect.poll(health).toEqual(ok)
  child.kill('SIGTERM')
  expect(await exit).toMatchObject({ code: 0 })
  expectSound(file)
})

it.each([
  ['an empty path', '', 2, '--data must name a file, a PostgreSQL database, or memory'],
  ["SQLite's own name for memory", ':memory:', 2, '--data must name a file, a PostgreSQL database, or memory'],
  ['a path below /proc', '/proc/x/y.db', 1, '/proc/x/y.db cannot be opened (ENOENT'],
])('refuses %s at once', async (_title, data, code, message) => {
  const ended = await run('start', '--port', '0', '--data', data).exit
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
})
