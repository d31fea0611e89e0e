import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser, openBrowser, openPage } from '../browser/open-browser.ts'
import { listening } from '../sdks/wire-server.fixture.ts'
import { lostReplies } from './lost-replies.fixture.ts'
import type { Ending, FaultSettings } from './programs/faults.ts'
import { createProject, createSdkProject, execute, nodeBinary, readJson } from './project.fixture.ts'
import { injected, misdirected, refusedStream, startService, unavailable } from './service.fixture.ts'

/** The oldest Node version that the packages support. */
const floor: string = readJson(root, 'packages/publisher-sdk/package.json').engines.node.replace('>=', '')
/**
 * The SDKs need the key in the environment and access to the service. `require` and the frozen program need to read
 * files.
 */
const allowed = [
  '--allow-read=.',
  '--allow-env=LEAD_PUBLISHER_API_KEY,LEAD_ADVERTISER_API_KEY',
  '--allow-net=127.0.0.1',
]

interface Runtime {
  readonly name: string
  /** The npm package with its binary, and the binary's path. */
  readonly dependency: readonly [name: string, version: string]
  readonly binary: string
  readonly flags?: readonly string[]
}

const runtimes: readonly Runtime[] = [
  ...[floor, '22', '24', '26'].map(version => ({
    name: `Node ${version}`,
    dependency: nodeBinary(version),
    binary: `node-${version}/bin/node`,
  })),
  { name: 'Bun', dependency: ['bun', '1.4.5'], binary: '.bin/bun' },
  {
    name: 'Deno',
    dependency: ['deno', '2.9.6'],
    binary: '.bin/deno',
    flags: ['run', '--node-modules-dir=manual', '--cached-only', '--no-prompt', ...allowed],
  },
]

/** The runtime of Cloudflare Workers. It runs no program from the command line. */
const workerd = '1.20261117.1'

let folder: string
let installed: string
beforeAll(async () => {
  ;[folder, installed] = await Promise.all([
    createSdkProject('run-sdks'),
    createProject('runtimes', [], { ...Object.fromEntries(runtimes.map(each => each.dependency)), workerd }, 'hoisted'),
  ])
}, 600_000)

/** Returns how to start a program on a runtime. */
function startOf({ binary, flags = [] }: Runtime, certificate = '') {
  const { NODE_OPTIONS: _, ...inherited } = process.env
  const keys = { LEAD_PUBLISHER_API_KEY: injected.apiKey, LEAD_ADVERTISER_API_KEY: injected.apiKey }
  // Node and Bun read the certificate from the first variable, Deno from the second.
  const trusting = certificate && { NODE_EXTRA_CA_CERTS: certificate, DENO_CERT: certificate }
  const env = { ...inherited, ...keys, ...trusting, NO_COLOR: '1', DENO_DIR: join(inject('projects'), 'deno') }
  return { file: join(installed, 'node_modules', binary), flags, options: { cwd: folder, env } }
}

const smoked = `import { smoke } from './smoke.mjs'\nconsole.log(JSON.stringify(await smoke(JSON.parse(process.argv.at(-1)))))`
const faulted = `import { meetFaults } from './faults.mjs'\nconsole.log(JSON.stringify(await meetFaults(JSON.parse(process.argv.at(-1)))))`
// Polls for its next task with a timer: after a freeze, timers run before pending network events such as a closed
// connection.
const frozen = `
  import { existsSync } from 'node:fs'
  import { createPublisher } from '@lead-distribution/publisher-sdk'
  import { lead } from './smoke.mjs'
  const [baseUrl, tasks] = process.argv.slice(2)
  const publisher = createPublisher({ baseUrl, keepAlive: false })
  for (let task = 0; ; task += 1) {
    while (!existsSync(tasks + '/' + task)) await new Promise(resolve => setTimeout(resolve, 1))
    console.log((await publisher.submit(lead('ana@example.com')).catch(error => ({ outcome: error.code }))).outcome)
  }`

describe.each(runtimes)('$name', runtime => {
  it.each(['smoke-once.mjs', 'start.cjs'])('runs %s to its end and prints no secret', async program => {
    writeFileSync(join(folder, 'smoke-once.mjs'), smoked)
    const { apiKey: _inTheEnvironment, ...settings } = (await startService()).smoke
    const { file, flags, options } = startOf(runtime)
    const { stdout, stderr } = await execute(file, [...flags, program, JSON.stringify(settings)], options)
    expect(stderr).toBe('')
    for (const secret of Object.values(injected)) expect(stdout).not.toContain(secret)
  })

  it.skipIf(process.platform === 'win32')('loses no reply if its host freezes it between calls', async () => {
    const service = await startService()
    const tasks = `tasks-${runtime.name.replace(' ', '-')}`
    mkdirSync(join(folder, tasks))
    writeFileSync(join(folder, 'frozen.mjs'), frozen)
    const { file, flags, options } = startOf(runtime)
    const child: ChildProcess = spawn(file, [...flags, 'frozen.mjs', `${service.smoke.service}/api/v1`, tasks], options)
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[Symbol.asyncIterator]()
    const outcomes: string[] = []
    for (let task = 0; task < 6; task++) {
      // As on AWS Lambda. The server closes its connections during the freeze.
      if (task % 2 === 1) {
        child.kill('SIGSTOP')
        service.hangUp()
      }
      writeFileSync(join(folder, tasks, String(task)), '')
      child.kill('SIGCONT')
      outcomes.push(String((await lines.next()).value))
    }
    expect(outcomes).toEqual(Array(6).fill('distributed'))
  })
})

/**
 * Runs the page's program to its end, under a content security policy that allows the page's own scripts and no code
 * from strings.
 */
async function inChromium(settings: object, services: readonly string[]) {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  })
  const policy = `default-src 'none'; script-src 'self'; connect-src ${services.join(' ')}; require-trusted-types-for 'script'`
  const data = JSON.stringify(settings).replaceAll('"', '&quot;')
  const html = `<!doctype html><body data-settings="${data}"><script type="module" src="/page.js"></script>`
  // The service has another origin, as in production.
  const origin = await listening(
    createServer(({ url }, response) => {
      const isScript = url === '/page.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.setHeader('content-security-policy', policy)
      // The page has no icon.
      response.writeHead(isScript || url === '/' ? 200 : 204).end(isScript ? outputFiles[0]?.text : html)
    }),
  )
  // The HTTP/2 server has a self-signed certificate.
  const browser = await openBrowser(['--ignore-certificate-errors'])
  onTestFinished(() => browser.close())
  const { page, complaints } = await openPage(browser, origin)
  await page.goto(origin)
  const ended = await page.locator('body[data-ended]').getAttribute('data-ended')
  return { ended: JSON.parse(ended ?? ''), complaints }
}

describe.runIf(hasBrowser)('Chromium', () => {
  it('refuses a key in a page unless that is explicitly allowed', async () => {
    const { smoke } = await startService()
    const { ended, complaints } = await inChromium(smoke, [new URL(smoke.service).origin])
    expect(ended).toEqual({ held: 10 })
    // The browser also reports the refused request.
    expect(complaints.filter(text => !text.startsWith('Failed to load resource:'))).toEqual([])
  })
})

// The worker's network may reach the service on this machine.
const workerConfiguration = (compatibilityDate: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = .network)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const network :Workerd.Network = (
  allow = ["private"],
  tlsOptions = (trustedCertificates = [embed "certificate.pem"]),
);
const main :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "${compatibilityDate}",
);`

/** Runs the fault program in workerd with a compatibility date. */
async function inWorkerd(settings: FaultSettings, certificate: string, compatibilityDate: string): Promise<Ending[]> {
  const contents = `import { meetFaults } from './faults.ts'
    export default { fetch: async request => Response.json(await meetFaults(await request.json())) }`
  const worker = join(folder, `worker-${compatibilityDate}`)
  await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    outfile: join(worker, 'worker.mjs'),
    format: 'esm',
    conditions: ['workerd', 'worker'],
  })
  writeFileSync(join(worker, 'worker.capnp'), workerConfiguration(compatibilityDate))
  cpSync(certificate, join(worker, 'certificate.pem'))
  const file = join(installed, 'node_modules/.bin/workerd')
  const options = { cwd: worker, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] } satisfies SpawnOptions
  const child = spawn(file, ['serve', 'worker.capnp', '--control-fd=3'], options)
  try {
    const [line] = await once(createInterface({ input: child.stdio[3] as Readable }), 'line')
    const url = `http://127.0.0.1:${JSON.parse(line).port}/`
    return await (await fetch(url, { method: 'POST', body: JSON.stringify(settings) })).json()
  } finally {
    child.kill()
  }
}

type Service = Awaited<ReturnType<typeof startService>>

describe('a lost reply', { timeout: 300_000 }, () => {
  const programs: Record<string, (service: Service) => Promise<Ending[]>> = {
    ...Object.fromEntries(
      runtimes.map(runtime => [
        runtime.name,
        async ({ faults, certificate }) => {
          const { file, flags, options } = startOf(runtime, certificate)
          const { stdout } = await execute(file, [...flags, 'faulted.mjs', JSON.stringify(faults)], options)
          return JSON.parse(stdout)
        },
      ]),
    ),
    workerd: ({ faults, certificate }) => inWorkerd(faults, certificate, '2026-07-01'),
    ...(hasBrowser && {
      Chromium: async ({ faults }) => (await inChromium(faults, [faults.origin, faults.secureOrigin])).ended,
    }),
  }

  it('ends on every runtime as docs/lost-replies.md says (-u writes its table)', async () => {
    writeFileSync(join(folder, 'faulted.mjs'), faulted)
    const services = await Promise.all(Object.keys(programs).map(() => startService()))
    // The runtimes mostly wait, so all of them run at once.
    const runs = Object.entries(programs).map(async ([name, run], index) => {
      const endings = await run(services[index] as Service)
      expect(endings, name).toHaveLength(30)
      return [name, endings] as const
    })
    const all = await Promise.all(runs)
    for (const [name, endings] of all) {
      const found = endings.filter(({ fault, call, outcome, reached, attempts }) => {
        const isTwice = call === 'submit' && reached > attempts && fault !== misdirected
        const mayTwice = name === 'Chromium' || (name === 'Deno' && fault === refusedStream)
        // No runtime mistakes its own lead for a rejection, and only these send a lead twice.
        return outcome === 'rejected' || (isTwice && !mayTwice)
      })
      expect(found, name).toEqual([])
    }
    // A developer's machine may lack the browser.
    if (!hasBrowser) return
    const page = join(root, 'docs/lost-replies.md')
    const [text = ''] = readFileSync(page, 'utf8').split(/(?<=<!-- table -->\n)/)
    await expect(`${text}\n${lostReplies(all)}`).toMatchFileSnapshot(page)
  })

  it('reaches the service on a workerd that does not support `cache`', async () => {
    const { faults, certificate } = await startService()
    const some = { ...faults, faults: faults.faults.filter(({ name }) => name === unavailable) }
    const ended = await inWorkerd(some, certificate, '2024-01-01')
    expect(ended.map(({ reached }) => reached > 0)).toEqual([true, true, true])
  })
})
