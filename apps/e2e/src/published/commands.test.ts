import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { blockOf, createProject, execute, nodeBinary, readJson } from './project.fixture.ts'

const [sandbox, conformance] = ['@lead-distribution/sandbox', '@lead-distribution/conformance']
/** The maximum number of third-party packages that the server installs. Raising it needs a reason in the decisions. */
const maxPackages = 95

let server: string
let tester: string
let nodes: string
beforeAll(async () => {
  nodes = await createProject('nodes', [], Object.fromEntries(['20', '22', '26'].map(nodeBinary)), 'hoisted')
  server = await createProject('server', [sandbox], {}, 'hoisted')
  tester = await createProject('conformance', [conformance], {}, 'hoisted')
}, 600_000)

const nodeOf = (version: string) =>
  version === '24' ? process.execPath : join(nodes, `node_modules/node-${version}/bin/node`)

/** Starts the command and waits for its first line. */
async function start(node: string, main: string, env: NodeJS.ProcessEnv = process.env, more: string[] = []) {
  const child = spawn(node, [main, 'start', '--port', '0', '--json', ...more], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, url: String(JSON.parse(line).url) }
}

/** Expects the pages and the files that they link to. */
async function expectPages(url: string): Promise<void> {
  for (const page of ['/_sandbox/docs', '/_sandbox/'].map(path => new URL(path, url))) {
    const html = await (await fetch(page, { headers: { accept: 'text/html' } })).text()
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(0)
    const missing = files.map(async path => [path, (await fetch(new URL(path, page))).status] as const)
    expect((await Promise.all(missing)).filter(([, status]) => status !== 200)).toEqual([])
  }
}

/** Returns the files of both commands by name. */
function commands(): Record<string, string> {
  const names = [join(server, 'node_modules', sandbox), join(tester, 'node_modules', conformance)]
  const found = names.map(folder => Object.entries<string>(readJson(folder, 'package.json').bin))
  return Object.fromEntries(found.flatMap((bin, n) => bin.map(([name, path]) => [name, join(names[n] ?? '', path)])))
}

describe('the packed server', () => {
  const main = () => commands()['lead-sandbox'] ?? ''

  it(`installs at most ${maxPackages} third-party packages`, async () => {
    const { stdout } = await execute('npm', ['ls', '--all', '--parseable'], { cwd: server })
    const packages = new Set(stdout.split('\n').filter(path => /node_modules.(?!@lead-distribution)/.test(path)))
    expect(packages.size).toBeLessThanOrEqual(maxPackages)
  })

  it.each(['22', '24', '26'])('starts on Node %s and serves its pages', async version => {
    await expectPages((await start(nodeOf(version), main())).url)
  })

  it('names the driver that PostgreSQL needs', async () => {
    const args = [main(), 'start', '--port', '0', '--data', 'postgres://h/d']
    await expect(execute(process.execPath, args)).rejects.toThrow('npm install pg')
  })
})

it('both commands name the required Node version on Node 20', async () => {
  for (const [name, path] of Object.entries(commands())) {
    const failed = execute(nodeOf('20'), [path, '--help'])
    await expect(failed, name).rejects.toMatchObject({ code: 1, stdout: '' })
    await expect(failed, name).rejects.toThrow(`${name} needs Node 22.`)
  }
})

it.each(['22', '24', '26'])('both commands show their help on Node %s', async version => {
  for (const [name, path] of Object.entries(commands()))
    expect((await execute(nodeOf(version), [path, '--help'])).stdout).toContain(`Usage: ${name}`)
})

// The workflow builds and runs the image. This test runs the same commands without a container engine.
it("the image's installation starts, accepts the README's first lead, has the PostgreSQL driver, and stops", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await execute(process.execPath, [join(root, 'apps/sandbox/deploy/install.mjs'), folder])
  const main = join(folder, 'dist/main.js')
  // The home folder is not writable: the container's file system is read-only.
  const { child, url } = await start(process.execPath, main, { HOME: '/dev/null', NODE_ENV: 'production' }, [
    '--log-level',
    'silent',
  ])
  await expectPages(url)
  const curl = blockOf('README.md', 'first-lead').replaceAll('http://127.0.0.1:4010', url)
  expect(JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' }))).toMatchObject({ status: 'distributed' })
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  // The driver is installed: only the database is missing.
  const args = [main, 'start', '--port', '0', '--data', 'postgres://sandbox@127.0.0.1:3/sandbox']
  await expect(execute(process.execPath, args)).rejects.toThrow('ECONNREFUSED')
}, 300_000)
