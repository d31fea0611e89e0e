import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach } from 'vitest'
import { root } from '../architecture/sources.ts'
import type { Account } from './adapter.ts'

/** Starts the command line in separate processes; what still runs behind a test is ended. */
export function launcher() {
  const children = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    children.clear()
  })

  /** Runs a command; what it says is kept up to its end. */
  function run(...args: string[]) {
    const child = spawn(process.execPath, ['apps/sandbox/src/main.ts', ...args], { cwd: root })
    children.add(child)
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', data => {
      said.stdout += data
    })
    child.stderr.on('data', data => {
      said.stderr += data
    })
    const exit = once(child, 'close').then(([code, signal]) => ({ code, signal, ...said }))
    return { child, exit }
  }

  /** Starts a server on a free port, up to its first line. */
  async function start(...args: string[]) {
    const { child, exit } = run('start', '--port', '0', '--json', ...args)
    const lines = createInterface({ input: child.stdout })
    const first = await Promise.race([once(lines, 'line').then(([line]) => String(line)), exit])
    if (typeof first !== 'string') throw new Error(`The server did not start: ${first.stderr}`)
    const ready: { ready: boolean; url: string; base_url: string; tenant: Account } = JSON.parse(first)
    return { child, exit, ...ready }
  }

  return { run, start }
}
