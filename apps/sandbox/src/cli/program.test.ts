import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'
import { everyVerb, run } from './program.ts'
import { readyText } from './start.ts'

const verbs = await everyVerb()

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe.each(verbs)('$name', ({ name, command }) => {
  it('describes itself, and shows an example', () => {
    const printed: string[] = []
    command.configureOutput({ writeOut: text => printed.push(text) }).outputHelp()
    expect(command.description()).toMatch(/\.$/)
    expect(printed.join('')).toContain(`  $ lead-sandbox ${name}`)
  })

  it('takes each flag from the environment too, and names the variable', () => {
    const printed: string[] = []
    command.configureOutput({ writeOut: text => printed.push(text) }).outputHelp()
    const help = printed.join('').replace(/\s+/g, ' ')
    for (const { long = '', envVar } of command.options) {
      expect([long, envVar]).toEqual([long, variableOf(name, long)])
      expect(help).toContain(`env: ${envVar}`)
    }
  })

  it('refuses an unknown flag as wrong usage', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long = '' }) => [long, '24h'])
    expect(await run([...name.split(' '), ...needed, '--nonsense'])).toBe(2)
    expect(stderr.mock.calls.join('')).toMatch(/unknown option '--nonsense'[\s\S]*add --help/)
  })
})

describe('a variable', () => {
  it.each([
    ['submit', '--no-fill', 'LEAD_SANDBOX_SUBMIT_NO_FILL', 'false', true],
    ['submit', '--no-fill', 'LEAD_SANDBOX_SUBMIT_NO_FILL', '1', false],
    ['leads list', '--limit', 'LEAD_SANDBOX_LEADS_LIST_LIMIT', '7', 7],
    ['leads list', '--limit', 'LEAD_SANDBOX_LEADS_LIST_LIMIT', '', 50],
    ['start', '--port', 'LEAD_SANDBOX_PORT', '4444', 4444],
    [
      'start',
      '--allow-callback-host',
      'LEAD_SANDBOX_ALLOW_CALLBACK_HOST',
      'a.example,b.example',
      ['a.example', 'b.example'],
    ],
  ] as const)('of %s %s, %s=%s, gives the flag %j', async (name, long, variable, value, given) => {
    vi.stubEnv(variable, value)
    const { command } = (await everyVerb()).find(each => each.name === name) ?? {}
    const seen: unknown[] = []
    const key = command?.options.find(option => option.long === long)?.attributeName() ?? ''
    await command?.action(() => void seen.push(command.opts()[key])).parseAsync([], { from: 'user' })
    expect(seen).toEqual([given])
  })

  it('gives way to the flag', async () => {
    vi.stubEnv('LEAD_SANDBOX_LEADS_LIST_LIMIT', '7')
    const { command } = (await everyVerb()).find(({ name }) => name === 'leads list') ?? {}
    await command?.action(() => undefined).parseAsync(['--limit', '3'], { from: 'user' })
    expect(command?.opts()).toMatchObject({ limit: 3 })
  })
})

/** The rule of the documentation: the verb, except `start`, and the flag; those that all verbs share have no verb. */
function variableOf(verb: string, long: string): string {
  const shared = { '--sandbox': 'URL', '--tenant': 'TENANT', '--admin-token': 'ADMIN_TOKEN', '--json': 'JSON' }[long]
  const isShared = shared !== undefined && !verb.startsWith('certify')
  const own = `${verb === 'start' ? '' : `${verb} `}${long.slice(2)}`.replaceAll(/[ -]/g, '_').toUpperCase()
  return `LEAD_SANDBOX_${isShared ? shared : own}`
}

/** Runs work on a new server. */
async function withServer<Result>(profile: 'prose' | 'formal', work: (server: SandboxServer) => Promise<Result>) {
  const server = await startServer({ port: 0, logLevel: 'silent', profile })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

it.each(['prose', 'formal'] as const)(
  'prints a curl line that works as printed, under the profile %s',
  async profile => {
    const reply = await withServer(profile, async server => {
      const line = (await readyText(server)).split('\n').find(each => each.startsWith('curl')) ?? ''
      const { stdout } = await promisify(execFile)('sh', ['-c', line])
      return JSON.parse(stdout)
    })
    expect(reply).toMatchObject({ status: 'distributed' })
  },
)

it('prints what to change where the criteria of the demo account allow no such lead', async () => {
  const text = await withServer('prose', async server => {
    const { tenant, products } = server.account()
    const change = { products: products.map(({ product_id }) => ({ product_id, active: false })) }
    const reply = await fetch(`${server.url}/_sandbox/v1/tenants/${tenant}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    })
    expect(reply.status).toBe(200)
    return readyText(server)
  })
  expect(text).toContain('The account has no active product')
})
