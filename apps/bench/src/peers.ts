import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inTurns, median, percentile, ratioTo, runLoad, submit } from './load.ts'
import { freePort, servers, startSandboxOn, temporaryFolder } from './servers.ts'
import { onEveryCore } from './target.ts'
import { usualLead } from './usual-lead.ts'

const rounds = 7
const warmUp = 2
const requests = 3_000
const connections = 32
const [installMs, readyMs, stopMs] = [300_000, 60_000, 5_000]
const page = 'docs/benchmarks.md'
const execute = promisify(execFile)

/** A third-party mock server: its npm package, started as its documentation says. */
interface Peer {
  readonly name: string
  readonly package: string
  readonly range: string
  /** The path of its `POST /lead`. */
  readonly path: string
  /** The work that it does for each submission. */
  readonly does: string
  /** Returns the command to run in the folder where it is installed. */
  command(folder: string, port: number): Promise<readonly [file: string, ...args: string[]]>
}

const document = 'service.openapi.json'
const ownPath = '/api/v1/lead'

/** Logs are off, as in the sandbox. Only what the OpenAPI document cannot express is configured. */
const peers: readonly Peer[] = [
  {
    name: 'emulate',
    package: 'emulate',
    range: '^0.12.0',
    path: ownPath,
    does: 'runs a handler that you write. This one stores the id and the address, and validates nothing',
    async command(folder, port) {
      await writeFile(join(folder, 'emulate.config.mjs'), emulateConfig)
      return ['node', 'node_modules/emulate/dist/index.js', 'start', '--port', String(port)]
    },
  },
  {
    name: 'Prism',
    package: '@stoplight/prism-cli',
    range: '^5.0.0',
    path: '/lead',
    does: 'validates the body against the OpenAPI document and responds with its example',
    command: async (_, port) => [
      ...(['node', 'node_modules/@stoplight/prism-cli/dist/index.js', 'mock', document] as const),
      ...['--port', String(port), '--verboseLevel', 'silent'],
    ],
  },
  {
    name: 'Mockoon',
    package: '@mockoon/cli',
    range: '^9.0.0',
    path: ownPath,
    does: 'responds with random values that match the OpenAPI document, and validates nothing',
    command: async (_, port) => [
      ...(['node', 'node_modules/@mockoon/cli/bin/run.js', 'start', '--data', document] as const),
      ...['--port', String(port), '--hostname', '127.0.0.1', '--disable-log-to-file', '--disable-admin-api'],
    ],
  },
  {
    name: 'WireMock',
    package: 'wiremock',
    range: '^3.0.0',
    path: ownPath,
    does: 'matches the method and the path, and responds with a template',
    async command(folder, port) {
      await mkdir(join(folder, 'mappings'), { recursive: true })
      await writeFile(join(folder, 'mappings/lead.json'), JSON.stringify(wireMockMapping))
      const build = 'node_modules/wiremock/build'
      const jar = (await readdir(join(folder, build))).find(file => file.endsWith('.jar'))
      // Runs Java directly: the npm package's command leaves the server running when it is stopped.
      return [
        ...(['java', '-jar', `${build}/${jar}`, '--port', String(port), '--bind-address', '127.0.0.1'] as const),
        ...['--no-request-journal', '--disable-banner'],
      ]
    },
  },
]

const emulateConfig = `import { defineConfig, defineEmulator } from 'emulate'

const leads = defineEmulator({
  name: 'leads',
  state: () => ({ leads: [] }),
  setup({ app, state }) {
    app.post('${ownPath}', async context => {
      const { customer } = await context.req.json()
      const lead = { lead_id: crypto.randomUUID(), email: customer.contact.email.address }
      state.leads.push(lead)
      return context.json({ lead_id: lead.lead_id, status: 'new' })
    })
  },
})

export default defineConfig({ services: { leads: { emulator: leads } } })
`

const wireMockMapping = {
  request: { method: 'POST', urlPath: ownPath },
  response: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    jsonBody: { lead_id: "{{randomValue type='UUID'}}", status: 'new' },
    transformers: ['response-template'],
  },
}

/** A server under measurement. */
interface Measured {
  readonly does: string
  readonly port: number
  readonly path: string
}

const everyRule = 'validates every field, applies every rule, stores lead, customer and request'

const byHand =
  'validates every field with zod and stores the lead in SQLite on disk before it responds, with group commits. A hundred lines that you write; no rules'

/** The sandbox in memory, because the others store in memory too. */
const base = 'lead-sandbox'

/**
 * Measures `POST /lead` to third-party mock servers from npm and to the sandbox. Ratios are to the sandbox in memory.
 * Writes the table into the documentation.
 */
export async function measurePeers(): Promise<void> {
  const busyBefore = loadavg()[0] ?? 0
  await using folder = await temporaryFolder()
  await using memory = await startSandboxOn('memory')
  await using file = await servers.sandbox()
  await using http = await servers['durable-http']()
  await using express = await servers['durable-express']()
  const children: ChildProcess[] = []
  const measured: Record<string, Measured> = {
    [base]: { port: memory.port, path: ownPath, does: `${everyRule}, in memory` },
    [`${base} \`--data FILE\``]: {
      port: file.port,
      path: ownPath,
      does: 'the same, stored on disk before it responds',
    },
    'your own, `node:http`': { port: http.port, path: ownPath, does: byHand },
    'your own, Express': { port: express.port, path: ownPath, does: byHand },
  }
  try {
    await install(folder.path, memory.port)
    for (const peer of peers) Object.assign(measured, await startPeer(peer, folder.path, children))
    await writeTable(await measure(measured), busyBefore)
  } finally {
    for (const child of children) await stop(child)
  }
}

/** Installs the peers, without running their install scripts, and saves the sandbox's OpenAPI document beside them. */
async function install(folder: string, port: number): Promise<void> {
  const dependencies = Object.fromEntries(peers.map(peer => [peer.package, peer.range]))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox/service.openapi.json`)
  await writeFile(join(folder, document), await response.text())
  console.log(`\nInstalling ${peers.map(({ name }) => name).join(', ')} into ${folder}…`)
  // npm installs older versions if it runs on an older Node. The workspace's Node comes first in the path.
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await execute('npm', args, { cwd: folder, timeout: installMs, shell: process.platform === 'win32' })
}

/** Starts a peer and waits for its first 200. Skips a peer that needs Java if the machine has none. */
async function startPeer(
  peer: Peer,
  folder: string,
  children: ChildProcess[],
): Promise<Readonly<Record<string, Measured>>> {
  const { path, does } = peer
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', peer.package, 'package.json'), 'utf8'))
  const name = `${peer.name} ${version}`
  const port = await freePort()
  const [file, ...args] = await peer.command(folder, port)
  if (file === 'java' && !(await execute(file, ['-version']).catch(() => undefined))) {
    console.log(`  Skipping ${name}: it needs Java, which npm does not install.`)
    return {}
  }
  const child = await onEveryCore(() => spawn(file, args, { cwd: folder, stdio: 'ignore' }))
  children.push(child)
  for (const end = performance.now() + readyMs; !(await responds(port, path)); await pause(100))
    if (performance.now() >= end || child.exitCode !== null)
      throw new Error(`${name} did not respond to POST ${path} with 200 within ${readyMs} ms.`)
  return { [name]: { does, port, path } }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
  child.kill('SIGTERM')
  await once(child, 'exit')
  clearTimeout(timer)
}

const responds = (port: number, path: string) =>
  submit(port, usualLead('ready@example.com'), path).then(
    () => true,
    () => false,
  )

/** Measures the servers; returns the rows of the table. */
async function measure(measured: Readonly<Record<string, Measured>>): Promise<string[]> {
  const results = await inTurns(measured, { rounds, warmUp }, ({ port, path }, label) =>
    runLoad({ port, path, connections, requests, label }),
  )
  return [...results].map(([name, own]) => {
    const ratio = ratioTo(results, base, name, ({ perSecond }) => perSecond)
    const p99 = median(own.map(({ latencies }) => percentile(latencies, 0.99)))
    return `| ${name} | ${ratio} | ${p99.toFixed(0)} ms | ${measured[name]?.does} |`
  })
}

/** Replaces the table in the page and prints it, with the machine's earlier load average. */
async function writeTable(rows: readonly string[], busyBefore: number): Promise<void> {
  const [start, end] = ['<!-- npm run bench -- peers -->', '<!-- Up to here. -->']
  const text = await readFile(page, 'utf8')
  const [before, after] = [text.indexOf(start), text.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`${page} has no table between ${start} and ${end}.`)
  const table = [
    '| server | leads per second, relative to the first | p99 | for each submission it |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${cpus().length} cores (${cpus()[0]?.model.trim()}), which the client shares.`,
    `Load average before the run: ${busyBefore.toFixed(1)}. Medians of ${rounds} rounds, ${requests.toLocaleString('en')} leads each, in turns.`,
  ].join('\n')
  await writeFile(page, `${text.slice(0, before)}${start}\n${table}\n${text.slice(after)}`)
  console.log(`${table}\n\nThe table is in ${page}.`)
}
