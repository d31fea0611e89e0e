import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandboxClient } from '@lead-distribution/control-client'
import { createSandboxRouter, startServer } from '@lead-distribution/sandbox'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { freePort } from '../adapters/sockets.ts'
import { root } from '../architecture/sources.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { alone, start, text, url, tenant } = sandboxCli()
const { run, start: launch } = launcher()

const reportsLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) { console.error(url); return next(url, context) } })
  process.on('exit', () => console.error(process.moduleLoadList.join('\\n')))`)}`

it('runs a server without loading fetch', async () => {
  vi.stubEnv('NODE_OPTIONS', `--import=${reportsLoaded}`)
  const server = await launch()
  server.child.kill('SIGTERM')
  const loaded = (await server.exit).stderr.split('\n')
  expect(loaded).toContainEqual(expect.stringContaining('/packages/engine/'))
  expect(loaded.filter(file => /\/node_modules\/ky\/|undici/.test(file))).toEqual([])
})

describe('the sandbox that commands use', () => {
  it('comes from flags or the environment; flags win', async () => {
    vi.stubEnv('LEAD_SANDBOX_URL', url())
    vi.stubEnv('LEAD_SANDBOX_TENANT', tenant())
    const named = await run('tenants', 'show', '--json').exit
    expect(JSON.parse(named.stdout)).toMatchObject({ tenant: tenant() })
    const other = await run('tenants', 'show', '--json', '--tenant', 'demo').exit
    expect(JSON.parse(other.stdout)).toMatchObject({ tenant: 'demo' })
  })

  it('is called without loading the engine or zod, which would take longer than the request', async () => {
    vi.stubEnv('NODE_OPTIONS', `--import=${reportsLoaded}`)
    const loaded = (await start('leads', 'list').exit).stderr.split('\n')
    expect(loaded).toContainEqual(expect.stringContaining('/packages/control-client/'))
    expect(loaded.filter(file => /\/packages\/engine\/.*\/index|\/node_modules\/zod\//.test(file))).toEqual([])
  })

  it('needs its token, from a flag or the environment', async () => {
    const server = await startServer({ port: 0, host: '0.0.0.0', adminToken: 't0ken-of-the-team', logLevel: 'silent' })
    try {
      const show = (...flags: string[]) => run('clock', 'show', '--sandbox', server.url, ...flags).exit
      const without = await show()
      expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('(401 unauthorized)')])
      const wrong = await show('--admin-token', 'secret-guess')
      expect([wrong.code, wrong.stderr.includes('secret-guess')]).toEqual([1, false])
      expect(await show('--admin-token', 't0ken-of-the-team')).toMatchObject({ code: 0 })
      vi.stubEnv('LEAD_SANDBOX_ADMIN_TOKEN', 't0ken-of-the-team')
      expect(await show()).toMatchObject({ code: 0 })
    } finally {
      await server.close()
    }
  })

  it('refuses an unknown tenant', async () => {
    const { code, stdout, stderr } = await run('leads', 'list', '--sandbox', url(), '--tenant', 'nobody').exit
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('No tenant has this name.')])
  })

  it('is missing: the error names the command that starts one', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    await new Promise(resolve => silent.close(resolve))
    const { code, stderr } = await run('reset', '--sandbox', `http://127.0.0.1:${port}`).exit
    expect([code, stderr]).toEqual([
      1,
      `No sandbox responds at http://127.0.0.1:${port}. Start one with lead-sandbox start. To use another one, pass --sandbox URL.\n`,
    ])
  })
})

describe('a sandbox below a path', () => {
  /** Mounts a sandbox in an application that serves nothing else. */
  async function mounted(): Promise<string> {
    const router = createSandboxRouter({ logLevel: 'silent' })
    const app = express()
    app.use('/leads', router)
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(async () => {
      server.closeAllConnections()
      server.close()
      await router.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/leads`
  }

  /** Starts a server whose URL has a path, as behind a proxy. */
  async function published(): Promise<string> {
    const port = await freePort()
    const { url } = await launch('--port', String(port), '--public-url', `http://127.0.0.1:${port}/leads/`)
    expect(url).toBe(`http://127.0.0.1:${port}/leads`)
    return url
  }

  it.each([
    ['mounted in an application', mounted],
    ['behind a proxy', published],
  ])('serves every verb, %s', async (_place, open) => {
    const url = await open()
    const cli = async (...args: string[]) => {
      const { code, stdout, stderr } = await alone(...args, '--sandbox', url)
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      return stdout
    }
    const lead = JSON.parse(await cli('submit', '--json'))
    expect(lead.redirect_url).toContain(`${url}/_sandbox/advertiser/`)
    expect((await fetch(lead.redirect_url)).status).toBe(200)
    await cli('trigger', 'approved', '--lead', lead.lead_id)
    const callback = JSON.parse(await cli('callbacks', 'wait', '--lead', lead.lead_id, '--json'))
    expect(callback.state).toBe('delivered')
    const { deliveries } = JSON.parse(await cli('leads', 'show', lead.lead_id, '--json'))
    const { postback_url } = deliveries[0]
    expect(postback_url).toMatch(new RegExp(`^${url}/api/v1/lead/`))
    expect((await fetch(`${postback_url}&event=completed`)).status).toBe(200)
    await cli('diagnose', `${postback_url}&event=completed`)
    expect(await cli('env', 'publisher')).toContain(`LEAD_BASE_URL=${url}/api/v1`)
    for (const verb of [
      ...['explain LEAD', 'leads list', 'leads repro LEAD', 'callbacks list', 'inbox show', 'logs tail'],
      ...['clock show', 'faults list', 'settings show', 'tenants list', 'tenants show', 'tokens list', 'hosts list'],
      ...['snapshot save a', 'snapshot list', 'coverage', 'reset'],
    ])
      await cli(...verb.replace('LEAD', lead.lead_id).split(' '))
  })

  it.each(['/', '/api/v1', '/api/v1/', '/_sandbox/', '/_sandbox'])(
    'may be given as the address of a page: %s',
    async end => {
      const { code } = await alone('clock', 'show', '--sandbox', `${await mounted()}${end}`)
      expect(code).toBe(0)
    },
  )

  it.each([
    'ftp://qa.example/leads',
    'http://qa.example/leads?a=1',
    'http://qa.example/leads#a',
    'http://me@qa.example/',
  ])('refuses the public URL %s', async publicUrl => {
    const { code, stderr } = await alone('start', '--public-url', publicUrl)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('such as http://qa.example:4010 or https://qa.example/leads'),
    ])
  })

  it('sends a browser from its public address to its console', async () => {
    const redirect = { headers: { accept: 'text/html' }, redirect: 'manual' } as const
    const { status, headers } = await fetch(await published(), redirect)
    expect([status, headers.get('location')]).toEqual([302, '/leads/_sandbox/'])
  })
})

describe('a connection that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'connection-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  beforeAll(() => {
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
    const names = ['-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function listen(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return (server.address() as AddressInfo).port
  }
  const secure = () =>
    createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, reply) => void reply.end('{}'))
  const plain = () => createServer((_, reply) => void reply.end('{}'))
  const moved = () =>
    createServer((_, reply) => void reply.writeHead(302, { location: 'https://login.example/?state=s3cret' }).end())
  const binary = () =>
    createTcpServer(socket => void socket.on('error', () => undefined).end('\u0015\u0003\u0001\u0000\u0002'))
  const cut = () => createTcpServer(socket => void socket.on('error', () => undefined).end())

  it.each([
    [
      'a certificate from a private authority',
      secure,
      'https',
      'localhost',
      /certificate of localhost:\d+ is not accepted \(.*NODE_EXTRA_CA_CERTS/,
    ],
    [
      'TLS to a server without TLS',
      plain,
      'https',
      'localhost',
      /localhost:\d+ does not speak TLS: start the URL with http:/,
    ],
    [
      'a connection closed during the handshake',
      cut,
      'https',
      'localhost',
      /The TLS connection to localhost:\d+ failed/,
    ],
    ['a redirect', moved, 'http', '127.0.0.1', /redirects to https:\/\/login.example\/ instead of responding/],
    ['another protocol', binary, 'http', '127.0.0.1', /127.0.0.1:\d+ does not speak HTTP: start the URL with https:/],
    [
      'a host without an address',
      plain,
      'http',
      'nobody.invalid',
      /nobody.invalid has no address \(E\w+\): correct the host name/,
    ],
  ])('says so: %s', async (_title, open, scheme, host, says) => {
    const url = `${scheme}://${host}:${await listen(open())}`
    const { code, stderr } = await alone('clock', 'show', '--sandbox', url)
    expect([code, stderr]).toEqual([1, expect.stringMatching(says)])
    expect(stderr).not.toContain('No sandbox responds')
    const message = await createSandboxClient({ baseUrl: url, retries: 0 })
      .listTenants()
      .catch(error => error.message)
    expect(message).toMatch(says)
  })

  it('works once the authority is set as the message says', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', cert)
    const url = `https://localhost:${await listen(secure())}`
    expect((await run('clock', 'show', '--sandbox', url, '--json').exit).code).toBe(0)
  })

  it('names the host that the certificate does not cover', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', cert)
    const { stderr } = await run('clock', 'show', '--sandbox', `https://127.0.0.1:${await listen(secure())}`).exit
    expect(stderr).toMatch(
      /certificate of 127\.0\.0\.1:\d+ is not accepted .* Use a host name that the certificate covers/,
    )
  })

  it('names the proxy if the proxy does not connect', async () => {
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    vi.stubEnv('http_proxy', 'http://127.0.0.1:9')
    vi.stubEnv('no_proxy', '')
    const { stderr } = await run('clock', 'show', '--sandbox', 'http://qa.example:4010').exit
    expect(stderr).toMatch(/The proxy did not connect to qa\.example:4010 .*NO_PROXY/)
  })
})

describe('what is printed', () => {
  it('has colors on request, and none in a pipe', async () => {
    await text('submit')
    expect(await text('leads', 'list')).not.toContain('\u001b')
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('FORCE_COLOR', '1')
    expect(await text('leads', 'list')).toContain('\u001b[32mdistributed')
  })

  it('may be left unread', async () => {
    const { child, exit } = start('tenants', 'show', '--json')
    child.stdout.destroy()
    expect(await exit).toMatchObject({ code: 0, stderr: '' })
  })

  it('may be left unread without hiding a failure', async () => {
    const { child, exit } = start('coverage', '--min', '100')
    child.stdout.destroy()
    expect(await exit).toMatchObject({ code: 1, stderr: expect.stringContaining('below --min 100 %') })
  })
})

const olderNode = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.9.0'}})`

it.each([
  ['lead-sandbox', 'apps/sandbox/src/main.ts', '22.16'],
  ['lead-conformance', 'packages/conformance/src/cli/main.ts', '22.13'],
])('%s names the Node version that it needs if this one is too old', (name, file, needed) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', olderNode, join(root, file), '--help'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `${name} needs Node ${needed} or newer (this is 20.9.0): https://nodejs.org.\n`,
  })
})
