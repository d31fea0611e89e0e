import { execFile } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'
import { everyVerb, run } from './program.ts'
import { readyText } from './start.ts'

const verbs = await everyVerb()

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe.each(verbs)('$name', ({ name, command }) => {
  function help(): string {
    const printed: string[] = []
    command.configureOutput({ writeOut: text => printed.push(text) }).outputHelp()
    return printed.join('')
  }

  it('describes itself and shows an example', () => {
    expect(command.description()).toMatch(/\.$/)
    expect(help()).toContain(`  $ lead-sandbox ${name}`)
  })

  it('accepts each flag from the environment too, and names the variable', () => {
    const printed = help().replace(/\s+/g, ' ')
    const named = command.options.map(({ long = '', envVar }) => [long, envVar, printed.includes(`env: ${envVar}`)])
    expect(named).toEqual(command.options.map(({ long = '' }) => [long, variableOf(name, long), true]))
  })

  it('treats an unknown flag as wrong usage', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long = '' }) => [long, '24h'])
    expect(await run([...name.split(' '), ...needed, '--nonsense'])).toBe(2)
    expect(stderr.mock.calls.join('')).toMatch(/unknown option '--nonsense'[\s\S]*add --help/)
  })
})

/** Runs a command in this process. Returns its exit code and what it printed on each stream. */
async function ran(...args: string[]) {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const code = await run(args)
  const printed = (...calls: { mock: { calls: unknown[][] } }[]) => calls.flatMap(({ mock }) => mock.calls).join('\n')
  return { code, stdout: printed(stdout, log), stderr: printed(stderr, error) }
}

describe('wrong usage', () => {
  const rows: [command: string, says: string][] = [
    ['submit --colour red', 'unknown option'],
    ['trigger --lead x', 'missing required argument'],
    ['trigger approved', "required option '--lead <id>'"],
    ['trigger approved --lead x --via mail', 'pixel, body'],
    ['leads', 'Usage: lead-sandbox leads'],
    ['leads loose', 'unknown command'],
    ['leads list --limit 0', 'from 1 to 500'],
    ['callbacks recover', "required option '--since <when>'"],
    ['callbacks recover --since yesterday', 'or a time with its zone'],
    ['inbox fail ok', 'from 200 to 599'],
    ['logs tail --status bad', '4xx'],
    ['clock advance 1month', 'such as 90s'],
    ['clock set 300000-01-01', 'such as 2026-01-31T09:30:00Z'],
    ['faults add submit --status 503', 'submitLead'],
    ['faults add submitLead', 'exactly one effect'],
    ['faults add submitLead --timeout --reset', 'exactly one effect'],
    ['faults add submitLead --reset --times -1', 'from 0'],
    ['faults add submitLead --reset --probability 2', 'from 0 to 1'],
    ['settings set gender', 'gender=required'],
    ['tenants create extra', 'too many arguments'],
    ['tenants create --set gender', 'gender=required'],
    ['snapshot save', 'missing required argument'],
    ['reset now', 'too many arguments'],
    ['coverage --junit', 'argument missing'],
    ['diagnose', 'missing required argument'],
    ['clock show --sandbox here', 'such as http://127.0.0.1:4010'],
    ['stop', "unknown command 'stop'"],
    ['start --colour red', '--colour'],
    ['start now', 'too many arguments'],
    ['start --port x', 'from 0 to 65535'],
    ['start --port 65536', 'from 0 to 65535'],
    ['start --port -1', 'from 0 to 65535'],
    ['start --seed x', 'whole number'],
    ['start --profile legal', 'prose'],
    ['start --data', 'argument missing'],
    ['start --max-age x', '30d'],
  ]

  it.each(rows)('exits with 2, says what to do and prints nothing else: %s', async (command, says) => {
    const { code, stdout, stderr } = await ran(...command.split(' '))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
    expect(stderr).toMatch(/--help/)
    expect(stderr).not.toContain('    at ')
  })
})

describe('an environment variable', () => {
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
  ] as const)('for %s %s, %s=%s, sets the flag to %j', async (name, long, variable, value, given) => {
    vi.stubEnv(variable, value)
    const { command } = (await everyVerb()).find(each => each.name === name) ?? {}
    const seen: unknown[] = []
    const key = command?.options.find(option => option.long === long)?.attributeName() ?? ''
    await command?.action(() => void seen.push(command.opts()[key])).parseAsync([], { from: 'user' })
    expect(seen).toEqual([given])
  })

  it('is overridden by the flag', async () => {
    vi.stubEnv('LEAD_SANDBOX_LEADS_LIST_LIMIT', '7')
    const { command } = (await everyVerb()).find(({ name }) => name === 'leads list') ?? {}
    await command?.action(() => undefined).parseAsync(['--limit', '3'], { from: 'user' })
    expect(command?.opts()).toMatchObject({ limit: 3 })
  })
})

/** The documented rule: the verb, except `start`, then the flag; flags shared by all verbs omit the verb. */
function variableOf(verb: string, long: string): string {
  const shared = { '--sandbox': 'URL', '--tenant': 'TENANT', '--admin-token': 'ADMIN_TOKEN', '--json': 'JSON' }[long]
  const isShared = shared !== undefined && !verb.startsWith('certify')
  const own = `${verb === 'start' ? '' : `${verb} `}${long.slice(2)}`.replaceAll(/[ -]/g, '_').toUpperCase()
  return `LEAD_SANDBOX_${isShared ? shared : own}`
}

/** Runs a test with a new server. */
async function withServer<Result>(profile: 'prose' | 'formal', work: (server: SandboxServer) => Promise<Result>) {
  const server = await startServer({ port: 0, logLevel: 'silent', profile })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

it.each(['prose', 'formal'] as const)('prints a curl line that works as is, under the profile %s', async profile => {
  const reply = await withServer(profile, async server => {
    const line = (await readyText(server)).split('\n').find(each => each.startsWith('curl')) ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    return JSON.parse(stdout)
  })
  expect(reply).toMatchObject({ status: 'distributed' })
})

it("prints what to change if the demo account's criteria allow no such lead", async () => {
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

it('exports a snapshot to a file that only its owner can read, even if the file existed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [fresh, open] = [join(folder, 'new.json'), join(folder, 'old.json')]
  writeFileSync(open, 'x'.repeat(1_000_000), { mode: 0o666 })
  const device = lstatSync('/dev/null').mode
  await withServer('prose', async ({ url }) => {
    expect(await ran('snapshot', 'save', 'a', '--sandbox', url)).toMatchObject({ code: 0 })
    for (const file of [fresh, open, '/dev/null'])
      expect(await ran('snapshot', 'export', 'a', file, '--sandbox', url)).toMatchObject({ code: 0, stderr: '' })
    const nowhere = await ran('snapshot', 'export', 'a', join(folder, 'no/folder.json'), '--sandbox', url)
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('(ENOENT): pass a file of your own') })
  })
  for (const file of [fresh, open]) {
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '')).toHaveProperty('tenant.seed')
  }
  expect(lstatSync('/dev/null').mode).toBe(device)
})
