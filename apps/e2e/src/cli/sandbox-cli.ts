import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { createSandboxClient } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { root } from '../architecture/sources.ts'

/** The command line without its process: to start one takes several times as long as a verb. */
const program = pathToFileURL(join(root, 'apps/sandbox/src/cli/program.ts')).href
const { run }: { run(args: readonly string[]): Promise<number> } = await import(program)

/** The output of the verb that runs: several may at once. */
const output = new AsyncLocalStorage<{ stdout: string; stderr: string }>()

/** Keeps what a verb prints, and nothing else. */
function keepOutput(): void {
  const add = (name: 'stdout' | 'stderr', text: string) => {
    const said = output.getStore()
    if (said) said[name] += text
    return said !== undefined
  }
  for (const [method, name] of [
    ['log', 'stdout'],
    ['error', 'stderr'],
  ] as const) {
    const print = console[method]
    vi.spyOn(console, method).mockImplementation((...values) => add(name, `${format(...values)}\n`) || print(...values))
    const write = process[name].write.bind(process[name])
    vi.spyOn(process[name], 'write').mockImplementation(text => add(name, String(text)) || write(text))
  }
}

/** Runs the command line to its end, with a text on stdin. */
async function runVerb(args: readonly string[], stdin = '') {
  const said = { stdout: '', stderr: '' }
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([stdin]) as typeof process.stdin)
  const code = await output.run(said, () => run(args))
  return { code, ...said }
}

/** A server, one tenant per test, and the command line. */
export function sandboxCli() {
  const { run: launch } = launcher()
  let server: SandboxServer
  let tenant = ''
  let tenants = 0

  beforeAll(async () => {
    server = await startServer({ port: 0, logLevel: 'silent' })
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    // The expected output has no colours, whatever the terminal of the test run.
    vi.stubEnv('FORCE_COLOR', undefined)
    keepOutput()
    tenant = `cli-${++tenants}`
    await createSandboxClient({ baseUrl: server.url }).createTenant({ name: tenant })
  })

  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  const ofTenant = () => ['--sandbox', server.url, '--tenant', tenant]
  /** Runs a verb to its end, with a text on stdin. */
  const cli = (args: readonly string[], stdin = '') => runVerb([...args, ...ofTenant()], stdin)

  return {
    url: () => server.url,
    tenant: () => tenant,
    /** Starts a verb on the tenant of the test in a process of its own. */
    start: (...args: string[]) => launch(...args, ...ofTenant()),
    cli,
    /** Runs the command line with these arguments alone. */
    alone: (...args: string[]) => runVerb(args),
    /** Runs a verb that must succeed; what it printed for people. */
    async text(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await cli(args)
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return stdout
    },
    /** Runs a verb with --json that must succeed; what it printed, parsed. */
    async json<Value>(...args: string[]): Promise<Value> {
      const { code, stdout, stderr } = await cli([...args, '--json'])
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return JSON.parse(stdout)
    },
    /** The control plane of the tenant of the test. */
    control: () => createSandboxClient({ baseUrl: server.url }).control(tenant),
  }
}
