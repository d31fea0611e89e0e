import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

/** The maximum time for a start or a stop on a busy machine, milliseconds. */
const patienceMs = 60_000
const server = ['apps/sandbox/src/main.ts', 'start', '--port', '0', '--json']
const groups = new Set<number>()

afterEach(() => {
  for (const group of groups) if (isRunning(-group)) process.kill(-group, 'SIGKILL')
  groups.clear()
})

/** Starts a program in its own process group and waits for its first line of output. The test ends the whole group. */
async function start(file: string, args: string[]) {
  // Under npx, the flag is the default. These tests start without it.
  const env = { ...process.env, npm_lifecycle_event: '' }
  const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  if (child.pid) groups.add(child.pid)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, line: String(line) }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits until nothing listens at the URL anymore. */
async function stops(url: string): Promise<boolean> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100))
    if (!(await fetch(`${url}/_sandbox/health`).catch(() => undefined))) return true
  return false
}

// Windows has neither these signals nor process groups.
describe.skipIf(process.platform === 'win32')('a parent that ends', { timeout: 2 * patienceMs }, () => {
  it('stops the server when npm is killed', async () => {
    const { child, line } = await start('npm', ['run', '--silent', 'lead-sandbox', '--', ...server.slice(1)])
    const { url } = JSON.parse(line)
    child.kill('SIGKILL')
    expect(await stops(url)).toBe(true)
  })

  it('leaves a server without the flag running', async () => {
    const probe = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })`
    const { child, line } = await start(process.execPath, ['-e', probe, '--', ...server])
    const { url } = JSON.parse(line)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await sleep(1_000)
    expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200)
  })
})

it('counts one signal that arrives in two ways once, and still exits cleanly', { timeout: patienceMs }, async () => {
  const { child, line } = await start(process.execPath, server)
  const { url, base_url, tenant } = JSON.parse(line)
  const post = (target: string, body: object, headers = {}) =>
    fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  // A request in flight keeps the server running between the two signals.
  const faults = `${url}/_sandbox/v1/tenants/demo/faults`
  const fault = { match: { operation: 'submitLead' }, effect: { latency_ms: 1_500 } }
  expect((await post(faults, fault)).status).toBe(201)
  const reply = post(`${base_url}/lead`, {}, { apikey: tenant.publisher.api_key })
  const matched = async () => (await (await fetch(faults)).json()).faults[0].matched
  await expect.poll(matched).toBe(1)
  child.kill('SIGTERM')
  child.kill('SIGTERM')
  expect((await reply).status).toBe(400)
  expect(await once(child, 'exit')).toEqual([0, null])
})
