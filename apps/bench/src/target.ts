import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server process under measurement. */
export interface Target {
  readonly port: number
  /** From spawning to the ready line, milliseconds. */
  readonly startMs: number
  /** What the process holds, bytes (resident set). */
  memory(): number
  stop(): Promise<void>
}

const readyWithinMs = 30_000

/** Starts a server on core 0, where the machine can bind processes, and waits for its ready line. */
export async function startTarget(
  script: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Target> {
  const start = performance.now()
  const child = spawn(...onCore(0, [process.execPath, ...flags, script, ...args]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), readyWithinMs)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  clearTimeout(timer)
  const ready = JSON.parse(line) as { port?: number; url?: string }
  return {
    port: ready.port ?? Number(new URL(ready.url ?? '').port),
    startMs: performance.now() - start,
    memory: () => residentSet(child.pid as number),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** A command bound to one core where the machine can do that (Linux), so that load and server do not share one. */
function onCore(core: number, [command = '', ...args]: readonly string[]): [string, string[]] {
  return process.platform === 'linux' ? ['taskset', ['-c', String(core), command, ...args]] : [command, args]
}

/** Binds this process, which makes the load, to its own core. */
export function bindSelf(core: number): void {
  if (process.platform === 'linux') execFileSync('taskset', ['-acp', String(core), String(process.pid)])
}

function residentSet(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}
