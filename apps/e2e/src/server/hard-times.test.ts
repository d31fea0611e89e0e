import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** Starts a server in its own process group, with a shell command that runs `"$@"`, and waits for its first line. */
async function start(command: string, ...args: string[]) {
  const node = [process.execPath, 'apps/sandbox/src/main.ts', 'start', '--port', '0', '--json', ...args]
  const child: ChildProcess = spawn('sh', ['-c', command, 'sh', ...node], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exit = once(child, 'exit')
  cleanUps.push(() => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
  if (!child.stdout) throw new Error('The server has no output.')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url }: { url: string } = JSON.parse(line)
  return { child, exit, url, group: -(child.pid ?? expect.fail('The server has no process.')) }
}

/** Opens a connection. Resolves once it is established. */
async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  cleanUps.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Sends a request on a connection. Resolves to the response's head. */
async function getOn(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`)
  const [data] = await once(socket, 'data')
  return String(data)
}

// Windows has neither `ulimit` nor signals.
describe.skipIf(process.platform === 'win32')('exhausted file descriptors', () => {
  it("do not break the control plane's first request or its later pages", async () => {
    const { url } = await start('ulimit -n 40; exec "$@"')
    const first = await open(url)
    const second = await open(url)
    const third = await open(url)
    // More connections than the server has descriptors for. It closes those it cannot accept. Then all are in use.
    const crowd = await Promise.all(Array.from({ length: 40 }, () => open(url)))
    await Promise.race(crowd.map(socket => once(socket, 'close')))
    expect(await getOn(first, '/_sandbox/v1/tenants')).toMatch(/^HTTP\/1.1 200.*\r\nx-frame-options: /is)
    expect(await getOn(second, '/_sandbox/openapi.json')).toMatch(/^HTTP\/1.1 500/)
    expect(await getOn(third, '/_sandbox/docs/assets/swagger-ui.css')).toMatch(/^HTTP\/1.1 500/)
    for (const socket of crowd) socket.destroy()
    const status = async (path: string) => (await fetch(`${url}${path}`)).status
    for (const path of ['/_sandbox/docs', '/_sandbox/openapi.json', '/_sandbox/docs/assets/swagger-ui.css'])
      await expect.poll(() => status(path)).toBe(200)
  })
})

describe.skipIf(process.platform === 'win32')('a signal to the whole process group', () => {
  // A runner forwards its own signals, so the server may get the same signal again at any time while stopping.
  it.each([0, 8])('stops the server with exit code 0 and no WAL, even if it repeats after %i ms', async ms => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-signals-'))
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
    const data = join(folder, 'sandbox.db')
    const { exit, url, group } = await start('exec "$@"', '--data', data)
    await fetch(`${url}/_sandbox/v1/tenants`, { method: 'POST' })
    process.kill(group, 'SIGTERM')
    setTimeout(() => {
      try {
        process.kill(group, 'SIGTERM')
      } catch {
        // The process has ended by then.
      }
    }, ms)
    expect(await exit).toEqual([0, null])
    expect([existsSync(data), existsSync(`${data}-wal`)]).toEqual([true, false])
  })
})
