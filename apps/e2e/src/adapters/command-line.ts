import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { afterEach, beforeEach, vi } from 'vitest'
import { root } from '../architecture/sources.ts'
import type { Account } from './adapter.ts'

/** Starts the command line in separate processes; ends those that still run after a test. */
export function launcher() {
  const children = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    children.clear()
  })

  /** Runs a command to its end and returns its output. */
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

  /** Starts a server on a free port and waits for its first line. */
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

/** The output of the running command. Several may run at once. */
const output = new AsyncLocalStorage<{ stdout: string; stderr: string }>()

/** Captures what a command prints, and nothing else. */
function keepOutput(): void {
  const add = (name: 'stdout' | 'stderr', text: string) => {
    const said = output.getStore()
    if (said) said[name] += text
    return said !== undefined
  }
  for (const [method, name] of [
    ['log', 'stdout'],
    ['error', 'stderr'],
  ] as const) {
    const print = console[method]
    vi.spyOn(console, method).mockImplementation((...values) => add(name, `${format(...values)}\n`) || print(...values))
    const write = process[name].write.bind(process[name])
    vi.spyOn(process[name], 'write').mockImplementation(text => add(name, String(text)) || write(text))
  }
}

/**
 * Gives what runs a program of a command line to its end, with a text on stdin, for all tests of a file. To start a process
 * takes several times as long as most commands.
 */
export function inThisProcess(program: string) {
  const path = pathToFileURL(join(root, program)).href
  beforeEach(keepOutput)
  afterEach(() => {
    vi.restoreAllMocks()
  })
  return async (args: readonly string[], stdin = '') => {
    const { run }: { run(args: readonly string[]): Promise<number> } = await import(path)
    const said = { stdout: '', stderr: '' }
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([stdin]) as typeof process.stdin)
    const code = await output.run(said, () => run(args))
    return { code, ...said }
  }
}
