import { createSandboxClient } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { inThisProcess, launcher } from '../adapters/command-line.ts'

/** A server, one tenant per test, and the command line. */
export function sandboxCli() {
  const { run: launch } = launcher()
  const runVerb = inThisProcess('apps/sandbox/src/cli/program.ts')
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
    tenant = `cli-${++tenants}`
    await createSandboxClient({ baseUrl: server.url }).createTenant({ name: tenant })
  })

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  const ofTenant = () => ['--sandbox', server.url, '--tenant', tenant]
  /** Runs a verb to its end, with a text on stdin. */
  const cli = (args: readonly string[], stdin = '') => runVerb([...args, ...ofTenant()], stdin)

  /** Starts a tail in a process of its own: what it printed so far, and its end by Ctrl-C. */
  function follow<Entry>(...args: string[]) {
    const { child, exit } = launch(...args, '--follow', '--json')
    let output = ''
    child.stdout.on('data', data => {
      output += data
    })
    const lines = () => output.split('\n').slice(0, -1)
    const stop = () => {
      child.kill('SIGINT')
      return exit
    }
    return { entries: () => lines().map((line): Entry => JSON.parse(line)), stop }
  }

  return {
    url: () => server.url,
    tenant: () => tenant,
    followAlone: follow,
    /** Starts a tail on the tenant of the test. */
    follow: <Entry>(...args: string[]) => follow<Entry>(...args, ...ofTenant()),
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
