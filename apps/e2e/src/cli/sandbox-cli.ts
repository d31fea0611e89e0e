import { createSandboxClient } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'

/** A server, one tenant per test, and the command line in its own processes. */
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
    tenant = `cli-${++tenants}`
    await createSandboxClient({ baseUrl: server.url }).createTenant({ name: tenant })
  })

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  /** Starts a verb on the tenant of the test; its stdin is open. */
  function start(...args: string[]) {
    return launch(...args, '--sandbox', server.url, '--tenant', tenant)
  }

  /** Runs a verb to its end, with a text on stdin. */
  async function cli(args: readonly string[], stdin = '') {
    const { child, exit } = start(...args)
    child.stdin.end(stdin)
    return exit
  }

  return {
    url: () => server.url,
    tenant: () => tenant,
    start,
    cli,
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
