// The smoke program in every runtime that the npm registry has, each in a process that must end by itself, print
// nothing to stderr, and nothing that is secret.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execute, reject } from '../run-checks.mjs'
import { createProject, once } from './project.mjs'
import { injected } from './server.mjs'

const manifest = new URL('../../packages/publisher-sdk/package.json', import.meta.url)
/** The oldest Node that the packages say they run on. */
const floor = JSON.parse(readFileSync(manifest, 'utf8')).engines.node.replace('>=', '')

/** Of each runtime: the npm package that ships its binary, where that is, and what it is started with. */
const runtimes = {
  ...Object.fromEntries([floor, '22', '24', '26'].map(version => [`Node ${version}`, node(version)])),
  Bun: { dependency: ['bun', '1.4.5'], binary: ['.bin', 'bun'], flags: [] },
  Deno: {
    dependency: ['deno', '2.9.6'],
    binary: ['.bin', 'deno'],
    // The SDKs need the key in the environment, and the service; `require` needs to read.
    flags: [
      ...['run', '--node-modules-dir=manual', '--cached-only', '--no-prompt', '--allow-read=.'],
      ...['--allow-env=LEAD_PUBLISHER_API_KEY,LEAD_ADVERTISER_API_KEY', '--allow-net=127.0.0.1'],
    ],
  },
}

/** It runs no program from the command line; `lost-replies.mjs` serves it one. */
const workerd = ['workerd', '1.20261117.1']

function node(version) {
  const name = `node-${version}`
  return { dependency: [name, `npm:node@${version}`], binary: [name, 'bin', 'node'], flags: [] }
}

/** A check that npm brings the runtimes, and one of each runtime. */
export function runtimeChecks({ out, sdkProject, server }) {
  const installed = once(() => install(out))
  const fileOf = async name => join(await installed(), 'node_modules', ...runtimes[name].binary)
  const checks = Object.entries(runtimes).map(([name, { flags }]) => ({
    name,
    async run() {
      const file = await fileOf(name)
      const { folder } = await sdkProject()
      const { apiKey: _inTheEnvironment, ...settings } = server.smokeSettings(name.toLowerCase().replace(' ', '-'))
      const said = []
      for (const program of ['start.mjs', 'start.cjs']) {
        const args = [...flags, program, 'smoke', JSON.stringify(settings)]
        const options = { cwd: folder, env: environment(out), shell: false, timeout: 60_000 }
        const { stdout, stderr } = await execute(file, args, options)
        reject(problemsIn({ program, stdout, stderr }))
        said.push(stdout.trim().split('\n').at(-1))
      }
      const { stdout } = await execute(file, ['--version'], { shell: false })
      return `${stdout.split('\n')[0].trim()}; ${said[0]} things hold; ${said[1]}`
    },
  }))
  const frozen = Object.entries(runtimes).map(([name, { flags }]) => ({
    name: `a frozen process: ${name}`,
    async run() {
      const caller = `frozen-${name.toLowerCase().replace(' ', '-')}`
      const { folder } = await sdkProject()
      await mkdir(join(folder, caller))
      const args = [...flags, 'freeze.mjs', `${server.smokeSettings(caller).service}/api/v1`, caller]
      const options = { cwd: folder, env: environment(out), shell: false, timeout: 60_000, killSignal: 'SIGKILL' }
      const give = task => writeFile(join(folder, caller, String(task)), '')
      const outcomes = await freezeBetween(spawn(await fileOf(name), args, options), give, () => server.hangUp(caller))
      reject(outcomes.every(outcome => outcome === 'distributed') ? [] : [`ended with ${outcomes.join(', ')}`])
      return `${outcomes.length} leads; no reply was lost`
    },
  }))
  const bring = { name: 'runtimes are had from the npm registry', run: async () => void (await installed()) }
  const programs = Object.keys(runtimes).map(name => ({
    name,
    /** Returns the endings of the program of faults with these settings, trusting the certificate in a file. */
    async meetFaults(settings, certificate) {
      const { folder } = await sdkProject()
      const args = [...runtimes[name].flags, 'start.mjs', 'faults', JSON.stringify(settings)]
      // Node and Bun trust it by the first name, Deno by the second.
      const trusting = { NODE_EXTRA_CA_CERTS: certificate, DENO_CERT: certificate }
      const options = { cwd: folder, env: { ...environment(out), ...trusting }, shell: false, timeout: 300_000 }
      return JSON.parse((await execute(await fileOf(name), args, options)).stdout)
    },
  }))
  const nodes = () => Promise.all(['Node 22', 'Node 24', 'Node 26'].map(fileOf))
  return {
    bring,
    checks: [...checks, ...frozen],
    programs,
    nodes,
    workerd: async () => join(await installed(), 'node_modules', '.bin', 'workerd'),
  }
}

/**
 * Gives a process leads in pairs. Between the two of a pair it is frozen, as AWS Lambda does it, and the server closes its
 * connections. Returns the outcomes.
 */
async function freezeBetween(child, give, hangUp) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const outcomes = []
  try {
    for (let task = 0; task < 6; task += 2) {
      await give(task)
      outcomes.push((await lines.next()).value)
      child.kill('SIGSTOP')
      hangUp()
      await give(task + 1)
      child.kill('SIGCONT')
      outcomes.push((await lines.next()).value)
    }
    return outcomes
  } finally {
    child.kill('SIGKILL')
  }
}

async function install(out) {
  const wanted = Object.values(runtimes).map(({ dependency }) => dependency)
  const dependencies = Object.fromEntries([...wanted, workerd])
  return createProject(join(out, 'runtimes'), { dependencies })
}

function environment(out) {
  const { NODE_OPTIONS: _options, ...inherited } = process.env
  const keys = { LEAD_PUBLISHER_API_KEY: injected.apiKey, LEAD_ADVERTISER_API_KEY: injected.apiKey }
  return { ...inherited, ...keys, NO_COLOR: '1', DENO_DIR: join(out, 'deno') }
}

function problemsIn({ program, stdout, stderr }) {
  const leaked = Object.entries(injected).filter(([, value]) => `${stdout}${stderr}`.includes(value))
  return [
    ...leaked.map(([what]) => `${program} printed the injected ${what}.`),
    ...(stderr.trim() ? [`${program} printed to stderr: ${stderr.trim()}`] : []),
  ]
}
