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

/** A mock server of others: its package on npm, and how its documentation says to start it. */
interface Peer {
  readonly name: string
  readonly package: string
  readonly range: string
  /** The path of its `POST /lead`. */
  readonly path: string
  /** The effort that it makes for a submission. */
  readonly does: string
  /** The command, in the folder where it is installed. */
  command(folder: string, port: number): Promise<readonly [file: string, ...args: string[]]>
}

const document = 'service.openapi.json'
const ownPath = '/api/v1/lead'

/** Their logs are off, as that of the sandbox is. Only what the document cannot say is configured. */
const peers: readonly Peer[] = [
  {
    name: 'emulate',
    package: 'emulate',
    range: '^0.12.0',
    path: ownPath,
    does: 'runs a handler that you write. This one keeps the id and the address; it checks nothing',
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
    does: 'validates the body against the OpenAPI document, and responds with its example',
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
    does: 'responds with random values that fit the OpenAPI document; it checks nothing',
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
    does: 'responds with a template; it checks method and path',
    async command(folder, port) {
      await mkdir(join(folder, 'mappings'), { recursive: true })
      await writeFile(join(folder, 'mappings/lead.json'), JSON.stringify(wireMockMapping))
      const build = 'node_modules/wiremock/build'
      const jar = (await readdir(join(folder, build))).find(file => file.endsWith('.jar'))
      // What the command of its npm package runs; that one would leave it running when it is stopped.
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

const everyRule = 'checks every field, decides by all rules, keeps lead, customer and request'

const byHand =
  'checks every field by zod, and keeps the lead in SQLite on disk before it responds, one commit for many. A hundred lines that you write; no rules'

/** The sandbox in memory, because the others keep in memory what they keep. */
const base = 'lead-sandbox'

/**
 * `POST /lead` to mock servers of others from npm, and to the sandbox; the ratio is to the sandbox in memory. Writes the
 * table into the documentation.
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
    [`${base} \`--data FILE\``]: { port: file.port, path: ownPath, does: 'the same, on disk before it responds' },
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

/** Installs them, and saves the sandbox's OpenAPI document beside them. Scripts of packages don't run. */
async function install(folder: string, port: number): Promise<void> {
  const dependencies = Object.fromEntries(peers.map(peer => [peer.package, peer.range]))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox/service.openapi.json`)
  await writeFile(join(folder, document), await response.text())
  console.log(`\nInstalling ${peers.map(({ name }) => name).join(', ')} into ${folder}…`)
  // Where npm runs on an older Node it takes older versions: the workspace's own comes first in the path.
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await execute('npm', args, { cwd: folder, timeout: installMs, shell: process.platform === 'win32' })
}

/** Starts a peer, and waits for its first 200; nothing where the machine has no Java. */
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
    console.log(`  ${name} is left out: it needs Java, which npm does not bring.`)
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

/** Rows of the table. */
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

/** Replaces the table of the page, and prints it, with the load average that the machine had before. */
async function writeTable(rows: readonly string[], busyBefore: number): Promise<void> {
  const [start, end] = ['<!-- npm run bench -- peers -->', '<!-- Up to here. -->']
  const text = await readFile(page, 'utf8')
  const [before, after] = [text.indexOf(start), text.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`${page} has no table between ${start} and ${end}.`)
  const table = [
    '| server | leads a second, as a share of the first | slowest in a hundred | for each submission it |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${cpus().length} cores (${cpus()[0]?.model.trim()}), which the client shares.`,
    `Load average of the machine before: ${busyBefore.toFixed(1)}. Medians of ${rounds} rounds with ${requests.toLocaleString('en')} leads, in turns.`,
  ].join('\n')
  await writeFile(page, `${text.slice(0, before)}${start}\n${table}\n${text.slice(after)}`)
  console.log(`${table}\n\nThe table is in ${page}.`)
}
