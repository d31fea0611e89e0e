import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startServer } from '@lead-distribution/sandbox'
import { describe, expect, it, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { root } from '../architecture/sources.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { start, text, url, tenant } = sandboxCli()
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

describe('the sandbox that verbs work on', () => {
  it('is named by flags or by the environment, the flags first', async () => {
    vi.stubEnv('LEAD_SANDBOX_URL', url())
    vi.stubEnv('LEAD_SANDBOX_TENANT', tenant())
    const named = await run('tenants', 'show', '--json').exit
    expect(JSON.parse(named.stdout)).toMatchObject({ tenant: tenant() })
    const other = await run('tenants', 'show', '--json', '--tenant', 'demo').exit
    expect(JSON.parse(other.stdout)).toMatchObject({ tenant: 'demo' })
  })

  it('is called without loading the engine, zod, ky or fetch, which takes longer than the call', async () => {
    vi.stubEnv('NODE_OPTIONS', `--import=${reportsLoaded}`)
    const loaded = (await start('leads', 'list').exit).stderr.split('\n')
    expect(loaded).toContainEqual(expect.stringContaining('/packages/control-client/'))
    expect(loaded.filter(file => /\/packages\/engine\/.*\/index|\/node_modules\/(zod|ky)\/|undici/.test(file))).toEqual(
      [],
    )
  })

  it('needs its token, by a flag or by the environment', async () => {
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

  it('is started by the command that the error names, where nothing answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    await new Promise(resolve => silent.close(resolve))
    const { code, stderr } = await run('reset', '--sandbox', `http://127.0.0.1:${port}`).exit
    expect([code, stderr]).toEqual([
      1,
      `No sandbox responds at http://127.0.0.1:${port}. Start one with lead-sandbox start, or name a running one by --sandbox URL.\n`,
    ])
  })

  it('is distinguished from another server', async () => {
    const other = createServer((_request, reply) => reply.writeHead(404).end('<html>')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await run('clock', 'show', '--sandbox', `http://127.0.0.1:${port}`).exit
    await new Promise(resolve => other.close(resolve))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/responded 404 .*without a sandbox error.*Start one/)])
  })
})

describe('what is printed', () => {
  it('has colours on request, none in a pipe', async () => {
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

  it('may be left unread, which hides no failure', async () => {
    const { child, exit } = start('coverage', '--min', '100')
    child.stdout.destroy()
    expect(await exit).toMatchObject({ code: 1, stderr: expect.stringContaining('below --min 100 %') })
  })
})

it('ends with 2 on wrong usage, and prints what to do on stderr alone', async () => {
  const { code, stdout, stderr } = await run('clock', 'advance', '1month').exit
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/such as 90s[\s\S]*--help/)
})

const olderNode = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.9.0'}})`

it.each([
  ['lead-sandbox', 'apps/sandbox/src/main.ts', '22.16'],
  ['lead-conformance', 'packages/conformance/src/cli/main.ts', '22.13'],
])('%s names the Node that it needs where this one is too old', (name, file, needed) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', olderNode, join(root, file), '--help'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `${name} needs Node ${needed} or newer (this is 20.9.0): https://nodejs.org.\n`,
  })
})
