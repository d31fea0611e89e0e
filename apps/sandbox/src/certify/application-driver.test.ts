import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createNodeDialer, type Resolve } from '../dialer/node-dialer.ts'
import { callApplication, runCommand } from './application-driver.ts'

const run = (command: string, environment = {}, timeoutMs = 10_000) => runCommand({ command, environment, timeoutMs })

/** Returns true if a process runs, and is no zombie. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

it('gives back what a command printed, and how it ended', async () => {
  expect(await run('echo "$LEAD_EMAIL"; exit 3', { LEAD_EMAIL: 'a+b@sandbox.test' })).toMatchObject({
    stdout: 'a+b@sandbox.test\n',
    exitCode: 3,
    timedOut: false,
  })
})

it('ends a command that takes too long, with its children', async () => {
  const { stdout, exitCode, timedOut } = await run('sleep 600 & echo $!; wait', {}, 300)
  expect([exitCode, timedOut]).toEqual([null, true])
  await vi.waitFor(() => expect(runs(Number(stdout))).toBe(false))
})

it('does not wait for what a command leaves running, and ends it', async () => {
  const { stdout, exitCode } = await run('sleep 600 & echo $!')
  expect(exitCode).toBe(0)
  await vi.waitFor(() => expect(runs(Number(stdout))).toBe(false))
})

it('keeps a mebibyte of what is printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'command-'))
  const { stdout } = await run(`head -c 3000000 /dev/zero | tr '\\0' x | tee "${join(folder, 'all')}"`)
  expect([stdout.length, readFileSync(join(folder, 'all')).length]).toEqual([1_048_576, 3_000_000])
  rmSync(folder, { recursive: true })
})

it('reports a command that cannot be started', async () => {
  const tooLong = run(`true ${'x'.repeat(1_000_000)}`)
  await expect(tooLong).rejects.toThrow(/^The command of the application could not be started: spawn E2BIG\. Check/)
})

it('reports it also where the machine has no room for it, and goes on', async () => {
  const program = `
    const { openSync } = await import('node:fs')
    const { runCommand } = await import('./application-driver.ts')
    for (let isFull = false; !isFull; )
      try {
        openSync('/dev/null')
      } catch {
        isFull = true
      }
    await runCommand({ command: 'true', environment: {}, timeoutMs: 10_000 }).catch(({ message }) => console.log(message))
    await new Promise(resolve => setTimeout(resolve, 10))
    console.log('goes on')`
  const limited = 'ulimit -n 256; exec "$0" --input-type=module --eval "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program], {
    cwd: import.meta.dirname,
    timeout: 100_000,
  })
  expect(stdout).toMatch(/could not be started: spawn .* EMFILE\. Check .*\ngoes on\n$/)
})

const server = createServer((request, response) => {
  if (request.url === '/cut') return request.socket.destroy()
  response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/cut' }).end()
})
let origin = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

it.each([
  ['/', 204],
  ['/moved', 302],
  ['/cut', 0],
])('answers the status of %s, follows no redirect, and 0 is no answer: %i', async (path, status) => {
  expect((await callApplication({ url: `${origin}${path}`, allowedHosts: [] })).status).toBe(status)
})

it.each(['http://example.com/', 'http://169.254.169.254/'])('never calls %s', async url => {
  await expect(callApplication({ url, allowedHosts: ['169.254.169.254'] })).rejects.toThrow(
    'The URL of the application',
  )
})

it('never sends to an address that the name of an allowed host must not have', async () => {
  const heard: string[] = []
  const listener = (request: IncomingMessage) => heard.push(request.url ?? '')
  server.on('request', listener)
  onTestFinished(() => void server.off('request', listener))
  const resolve = (_hostname: string, _options: object, found: (error: null, addresses: object[]) => void) =>
    found(null, [{ address: '127.0.0.1', family: 4 }])
  const { port } = new URL(origin)
  const call = { url: `http://qa.example:${port}/`, method: 'POST', body: '{}', allowedHosts: ['qa.example'] }
  expect((await callApplication(call, createNodeDialer({ resolve: resolve as unknown as Resolve }))).status).toBe(0)
  expect(heard).toEqual([])
})
