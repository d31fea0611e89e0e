// Runs the commands of the image of the sandbox (apps/sandbox/deploy/Dockerfile) without a container engine: those that
// build it, in this checkout, then what the container starts, asks for its health, gives the README's first lead, and
// stops. No container runs.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'image-'))
const [build, final] = readFileSync(join(root, 'apps/sandbox/deploy/Dockerfile'), 'utf8')
  .split(/^FROM .*$/m)
  .slice(1)
const port = String(await freePort())

try {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }
  for (const [, command] of build.matchAll(/^RUN (.+)$/gm)) {
    console.log(`RUN ${command}`)
    execFileSync('sh', ['-c', inFolder(command)], { cwd: root, env, stdio: 'inherit' })
  }
  await runContainer()
  expectDriver()
  console.log(
    "The commands of the image build it; what it starts becomes healthy, takes the README's first lead, stops with 0 at SIGTERM, and can use PostgreSQL.",
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The paths of the image as those of this run. */
function inFolder(text) {
  return text
    .replaceAll('/nodejs/bin/node', process.execPath)
    .replace(/(?<![\w/])\/(app|data)\b/g, (_, name) => join(folder, name))
    .replaceAll('4010', port)
}

/** The command of an instruction in its JSON form; a health check has it behind its options. */
function commandOf(instruction) {
  const json = new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'm').exec(final)?.[1]
  if (json === undefined)
    throw new Error(`The last stage needs ${instruction} in its JSON form: a shell keeps signals.`)
  return JSON.parse(inFolder(json))
}

async function runContainer() {
  const [node, ...args] = [...commandOf('ENTRYPOINT'), ...commandOf('CMD'), '--port', port]
  const set = /^ENV (.+)$/m.exec(final)?.[1].split(' ') ?? []
  // Nothing can be written into its home: the file system of the container is read-only.
  const env = { HOME: '/dev/null', ...readEnv(set) }
  mkdirSync(join(folder, 'empty'))
  const child = spawn(node, args, { env, cwd: join(folder, 'empty'), stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    await healthy(child, env)
    await expectPages(['/_sandbox/docs', '/_sandbox/'])
    expectFirstLead()
    child.kill('SIGTERM')
    const [code, signal] = await ended
    if (code !== 0) throw new Error(`SIGTERM ended it with ${code ?? signal} instead of 0.`)
    if ((await isHealthy(env)) !== false) throw new Error('It is reported healthy although it has stopped.')
  } finally {
    child.kill('SIGKILL')
  }
}

function readEnv(pairs) {
  return Object.fromEntries(pairs.map(pair => inFolder(pair).split('=')))
}

/** Resolves once the health check passes. */
async function healthy(child, env) {
  while (!(await isHealthy(env))) {
    if (child.exitCode !== null) throw new Error(`The sandbox ended with ${child.exitCode} before it was healthy.`)
    await wait(200)
  }
}

async function isHealthy(env) {
  const [node, ...args] = commandOf('HEALTHCHECK')
  const [code] = await once(spawn(node, args, { env, stdio: 'inherit' }), 'exit')
  return code === 0
}

/** The image holds the driver of PostgreSQL: a database that is not there is missing, not the driver. */
function expectDriver() {
  const [node, ...args] = [...commandOf('ENTRYPOINT'), 'start', '--port', '0']
  const env = { HOME: '/dev/null', LEAD_SANDBOX_DATA: `postgres://sandbox@127.0.0.1:${port}/sandbox` }
  const { stderr } = spawnSync(node, args, { env, cwd: join(folder, 'empty'), encoding: 'utf8', timeout: 30_000 })
  if (!stderr.includes('ECONNREFUSED')) throw new Error(`The image cannot use PostgreSQL: ${stderr}`)
}

async function expectPages(paths) {
  for (const path of paths) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })
    if (status !== 200) throw new Error(`${path} of the image answers ${status}: its files are missing.`)
  }
}

/** The curl line of the README works unchanged. */
function expectFirstLead() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, command] = /<!-- first-lead -->\n```sh\n(.*?)```/s.exec(readme) ?? []
  if (command === undefined) throw new Error('The README has no block after <!-- first-lead -->.')
  const reply = execFileSync('sh', ['-c', command.replaceAll('4010', port)], { encoding: 'utf8' })
  if (JSON.parse(reply).status !== 'distributed') throw new Error(`The curl line of the README gets ${reply}`)
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return port
}
