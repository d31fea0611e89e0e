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
    // The expected output has no colors, whatever terminal the tests run in.
    vi.stubEnv('FORCE_COLOR', undefined)
    tenant = `cli-${++tenants}`
    await createSandboxClient({ baseUrl: server.url }).createTenant({ name: tenant })
  })

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  const ofTenant = () => ['--sandbox', server.url, '--tenant', tenant]
  /** Runs a command to its end, with a text on stdin. */
  const cli = (args: readonly string[], stdin = '') => runVerb([...args, ...ofTenant()], stdin)

  /** Starts a tail in a separate process. Returns its output so far, and a function that ends it by Ctrl-C. */
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
    /** Starts a tail on the test's tenant. */
    follow: <Entry>(...args: string[]) => follow<Entry>(...args, ...ofTenant()),
    /** Starts a command on the test's tenant in a separate process. */
    start: (...args: string[]) => launch(...args, ...ofTenant()),
    cli,
    /** Runs the command line with only these arguments. */
    alone: (...args: string[]) => runVerb(args),
    /** Runs a command that must succeed. Returns its text output. */
    async text(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await cli(args)
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return stdout
    },
    /** Runs a command with --json that must succeed. Returns its parsed output. */
    async json<Value>(...args: string[]): Promise<Value> {
      const { code, stdout, stderr } = await cli([...args, '--json'])
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return JSON.parse(stdout)
    },
    /** The control plane of the test's tenant. */
    control: () => createSandboxClient({ baseUrl: server.url }).control(tenant),
  }
}
