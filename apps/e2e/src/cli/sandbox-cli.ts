import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'

/** A server, a tenant of its own for each test, and the command line in processes of their own. */
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
    // What is expected here has no colours, whatever the terminal of whoever runs the tests wants.
    vi.stubEnv('FORCE_COLOR', undefined)
    // Halves what a process takes to start, and a test starts several.
    vi.stubEnv('NODE_COMPILE_CACHE', join(tmpdir(), 'sandbox-compile-cache'))
    tenant = `cli-${++tenants}`
    const init = { method: 'POST', headers: json, body: JSON.stringify({ name: tenant }) }
    expect((await fetch(`${server.url}/_sandbox/v1/tenants`, init)).status).toBe(201)
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
    /** Runs a verb that must end well; what it printed for people. */
    async text(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await cli(args)
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return stdout
    },
    /** Runs a verb with --json that must end well; what it printed, read. */
    async json<Value>(...args: string[]): Promise<Value> {
      const { code, stdout, stderr } = await cli([...args, '--json'])
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return JSON.parse(stdout)
    },
    /** What the control plane has below the tenant of the test. */
    async onServer<Value>(path: string, init?: RequestInit): Promise<Value> {
      const reply = await fetch(`${server.url}/_sandbox/v1/tenants/${tenant}${path}`, init)
      return (await reply.json()) as Value
    },
  }
}

const json = { 'content-type': 'application/json' }
