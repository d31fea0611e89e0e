import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A server process under measurement. */
export interface Target extends AsyncDisposable {
  readonly port: number
  /** From spawning to the ready line, milliseconds. */
  readonly startMs: number
  /** The resident set of the process, bytes. */
  memory(): number
  /** The CPU time used so far, seconds. More reliable than a rate on a shared machine. */
  cpuSeconds(): number
}

const readyWithinMs = 30_000

/**
 * Starts a server that may use every core, as in production, and waits for its ready line. Rejects if it exits first.
 */
export async function startTarget(
  script: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Target> {
  const { child, start } = await onEveryCore(() => ({
    start: performance.now(),
    child: spawn(process.execPath, [...flags, script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }),
  }))
  const timer = setTimeout(() => child.kill('SIGKILL'), readyWithinMs)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${script} exited before it was ready.`)))
  const lines = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const [line] = await Promise.race([lines, ended]).finally(() => clearTimeout(timer))
  const ready = JSON.parse(line) as { port?: number; url?: string }
  return {
    port: ready.port ?? Number(new URL(ready.url ?? '').port),
    startMs: performance.now() - start,
    memory: () => residentSet(child.pid as number),
    cpuSeconds: () => processorTime(child.pid as number),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

let cores: { readonly own: string; readonly all: string } | undefined

/** Binds this process, which generates the load, to one core. */
export function bindSelf(core: number): void {
  if (process.platform !== 'linux') return
  const all =
    execFileSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
      .split(': ')[1]
      ?.trim() ?? ''
  cores = { own: String(core), all }
  bind(cores.own)
}

/** Starts a process that may use every core: it inherits this process's cores at that moment. */
export async function onEveryCore<Started>(start: () => Started | Promise<Started>): Promise<Started> {
  if (cores) bind(cores.all)
  try {
    return await start()
  } finally {
    if (cores) bind(cores.own)
  }
}

function bind(list: string): void {
  execFileSync('taskset', ['-acp', list, String(process.pid)])
}

function residentSet(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

/** Returns the CPU time, seconds; NaN except on Linux. Fields 14 and 15 are user and system time in ticks of 10 ms. */
function processorTime(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
