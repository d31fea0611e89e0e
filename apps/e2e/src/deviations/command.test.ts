import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { inThisProcess } from '../adapters/command-line.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { freePort } from '../adapters/sockets.ts'
import { createTenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'
import { inJson, openDeviatingProxy } from './deviating-service.fixture.ts'

const runHere = inThisProcess('packages/conformance/src/cli/program.ts')

/** Runs the command to its end with these environment variables. */
async function runCommand(args: readonly string[], env: Record<string, string> = {}) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  try {
    return await runHere(args)
  } finally {
    vi.unstubAllEnvs()
  }
}

/** Runs the command in a separate process, as users do. */
async function startCommand(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['packages/conformance/src/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/** Creates a folder that is removed after the test. */
async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'conformance-'))
  return {
    file: (name: string) => join(path, name),
    read: (name: string) => readFile(join(path, name), 'utf8'),
    async write(name: string, value: unknown) {
      await writeFile(join(path, name), JSON.stringify(value))
      return join(path, name)
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Opens a server that responds as given and records its requests. */
async function openServer(answer: RequestListener, host = '127.0.0.1') {
  const calls: string[] = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => answer(request, response))
  }).listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

let adapter: Adapter
beforeAll(async () => {
  adapter = await openExpressAdapter()
})
afterAll(() => adapter.close())

const ids = [
  '--publisher-id',
  '10000000-0000-4000-8000-000000000001',
  '--product',
  '20000000-0000-4000-8000-000000000001',
]

/** Returns every key and secret of an account. */
const secretsOf = ({ account }: Awaited<ReturnType<typeof createTenant>>) => [
  account.publisher.api_key,
  ...account.advertisers.flatMap(each => [each.api_key, each.postback_secret]),
]

describe('a service that conforms', () => {
  it('is reported as text, JSON and JUnit, without keys or email addresses', async () => {
    await using folder = await openFolder()
    const port = await freePort()
    const callback_url = `http://127.0.0.1:${port}/callbacks?source=conformance`
    const tenant = await createTenant(adapter, { callback_url, settings: { callback_retries: ['PT0.05S'] } })
    const account = await folder.write('account.json', tenant.account)
    const outputs = ['--json', folder.file('r.json'), '--junit', folder.file('r.xml')]
    const { code, stdout, stderr } = await startCommand(
      [
        '--account',
        account,
        '--callback-listen',
        `127.0.0.1:${port}`,
        '--concurrency',
        '4',
        '--patience',
        '1',
        ...outputs,
      ],
      { LEAD_PUBLISHER_API_KEY: 'a-key-of-elsewhere' },
    )
    expect([code, stderr]).toEqual([
      0,
      `Listening for callbacks at ${callback_url}. Set the target's callback URL to exactly this.\n`,
    ])
    expect(stdout).toMatch(/^2\.8 +\d+ +0 +0$/m)
    expect(stdout).toMatch(/^gender +optional\n {2}A lead /m)
    expect(stdout).toContain('The service conforms.')

    const report = JSON.parse(await folder.read('r.json'))
    expect(report).toMatchObject({
      version: 1,
      base_url: tenant.account.base_url,
      conforms: true,
      counts: { failed: 0 },
    })
    expect(report.cases.length).toBeGreaterThan(400)
    expect(report.interpretations).toContainEqual(
      expect.objectContaining({ point: 'callback_event_names', interpretation: 'usage' }),
    )
    const junit = await folder.read('r.xml')
    expect(junit.match(/<testcase /g)).toHaveLength(report.cases.length)
    for (const secret of secretsOf(tenant)) expect([stdout, junit, JSON.stringify(report)].join()).not.toContain(secret)
    expect([stdout, junit, JSON.stringify(report)].join()).not.toMatch(/@example\.com/)
  })
})

describe('a service that deviates', () => {
  it('fails with the expected and the seen behavior, without keys or email addresses', async () => {
    await using folder = await openFolder()
    const tenant = await createTenant(adapter)
    await using proxy = await openDeviatingProxy(adapter.url, tenant.publisherKey, {
      reply: (returning, { headers, body }) =>
        inJson(returning, json => {
          // The worst case: the service echoes the whole request, including the key.
          if (returning.status === 400) return { error: 'bad', message: `${headers.apikey} sent ${body}` }
          return json
        }),
    })
    const account = await folder.write('account.json', { ...tenant.account, base_url: `${proxy.url}/api/v1` })
    const only = ['--account', account, '--only', 'product_data.loan_amount']
    const { code, stdout } = await runCommand([...only, '--junit', folder.file('r.xml')])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /2\.8\/refuses-values-outside-the-bounds-of-product_data\.loan_amount\s+expected: [\s\S]+seen: +with 499: 400/,
    )
    expect(stdout).toContain('The service does not conform.')
    for (const text of [stdout, await folder.read('r.xml')]) {
      expect(text).not.toContain(tenant.publisherKey)
      expect(text).not.toMatch(/@example\.com/)
    }
  })

  it('exits with 0 if the service only interprets an open point differently', async () => {
    await using folder = await openFolder()
    const tenant = await createTenant(adapter)
    await using proxy = await openDeviatingProxy(adapter.url, tenant.publisherKey, {
      request: passing =>
        inJson(passing, lead => {
          lead.product_data.loan_amount = Number(lead.product_data.loan_amount)
        }),
    })
    const account = await folder.write('account.json', { ...tenant.account, base_url: `${proxy.url}/api/v1` })
    const { code, stdout } = await runCommand(['--account', account, '--only', 'open/*loan_amount'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /Other interpretations of open points: 1[\s\S]+The service conforms\. 0 passed, 1 failed, 0 skipped/,
      ),
    ])
  })
})

describe('the command sends nothing', () => {
  it('to a host that is not a sandbox, unless a flag allows it', async () => {
    await using server = await openServer((_, response) => response.writeHead(500).end('{}'), '0.0.0.0')
    const args = ['--base-url', `http://0.0.0.0:${server.port}/api/v1`, '--publisher-key', 'k', ...ids]
    const refused = await runCommand(args)
    expect([refused.code, server.calls]).toEqual([2, []])
    expect(refused.stderr).toMatch(/^0\.0\.0\.0 is not a sandbox: .*real.*--allow-any-host\.\n$/)
    expect((await runCommand([...args, '--allow-any-host'])).code).toBe(2)
    expect(server.calls).toEqual(['POST /api/v1/lead'])
  })

  it('to the target of a redirect', async () => {
    await using elsewhere = await openServer((_, response) => response.writeHead(200).end('{}'))
    const location = `http://127.0.0.1:${elsewhere.port}/api/v1/lead`
    await using server = await openServer((_, response) => response.writeHead(307, { location }).end())
    const { code, stderr } = await runCommand(['--base-url', `http://127.0.0.1:${server.port}/api/v1`, ...ids], {
      LEAD_PUBLISHER_API_KEY: 'the-key-itself',
    })
    expect([code, elsewhere.calls, server.calls]).toEqual([2, [], ['POST /api/v1/lead']])
    expect(stderr).toContain(`redirects to 127.0.0.1:${elsewhere.port}`)
    expect(stderr).not.toContain('the-key-itself')
  })
})

describe('the command exits with 2 and a clear message', () => {
  it('if there is no response, the key is refused, the product is unknown, or the URL has no service', async () => {
    const tenant = await createTenant(adapter)
    const { api_key, publisher_id } = tenant.account.publisher
    const nobody = `http://127.0.0.1:${await freePort()}/api/v1`
    const run = (base: string, key: string, product: string) =>
      runCommand(['--base-url', base, '--publisher-id', publisher_id, '--product', product], {
        LEAD_PUBLISHER_API_KEY: key,
      })
    const { product_id } = tenant.product()
    const ends = [
      await run(nobody, api_key, product_id),
      await run(tenant.account.base_url, 'wrong', product_id),
      await run(tenant.account.base_url, api_key, '00000000-0000-0000-0000-000000000000'),
      await run(`${adapter.url}/api/v2`, api_key, product_id),
    ]
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2])
    const said = ends.map(({ stderr }) => stderr)
    expect(said).toEqual([
      expect.stringMatching(/No response from .*ECONNREFUSED/),
      expect.stringMatching(/refuses the publisher's key: check --publisher-key/),
      expect.stringMatching(/product is unknown .*--product/),
      expect.stringMatching(/No service found at that URL/),
    ])
    expect(said.join()).not.toContain(api_key)
  })
})
