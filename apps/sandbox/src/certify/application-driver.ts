import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseCallbackUrl } from '@lead-distribution/simulator'

/** A command of the application, run once. */
export interface CommandRun {
  /** For the shell. */
  readonly command: string
  /** Added to our environment. */
  readonly environment: Readonly<Record<string, string>>
  /** How long it may take; then it is killed with its children. */
  readonly timeoutMs: number
}

/** How a command ended. */
export interface CommandEnd {
  /** What it printed, cut behind a mebibyte. */
  readonly stdout: string
  /** Null where it was killed. */
  readonly exitCode: number | null
  /** Whether it took too long. */
  readonly timedOut: boolean
  readonly ms: number
}

const maxOutput = 1_048_576

/** How long output may take to arrive once the command has ended, milliseconds. */
const lastOutputMs = 1_000

/** Runs a command through the shell. Its stderr goes to ours: its author looks there. */
export async function runCommand({ command, environment, timeoutMs }: CommandRun): Promise<CommandEnd> {
  const start = performance.now()
  const child = spawn(command, {
    shell: true,
    // Its own process group: killed whole, with what the shell started.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  let stdout = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length < maxOutput) stdout += text
  })
  let timedOut = false
  const kill = () => killGroup(child)
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  process.once('exit', kill)
  const closed = once(child, 'close')
  // Its end is that of the shell. What it left running in the background would keep the pipe open.
  const [exitCode] = await once(child, 'exit')
  clearTimeout(timer)
  process.off('exit', kill)
  kill()
  await Promise.race([closed, sleep(lastOutputMs, undefined, { ref: false })])
  child.stdout?.destroy()
  return { stdout: stdout.slice(0, maxOutput), exitCode, timedOut, ms: performance.now() - start }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended, and all of its group.
  }
}

/** A request to the application, sent past the sandbox. */
export interface ApplicationCall {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Hosts besides this machine that may be called. */
  readonly allowedHosts: readonly string[]
}

/** What the application answered; status 0 where it answered nothing. */
export interface ApplicationResponse {
  readonly status: number
  readonly ms: number
}

/** How long the application may take, milliseconds: as long as the service waits for a callback (open point 10). */
const timeoutMs = 10_000

/** Calls the application where callbacks may go, and nowhere else; no redirect is followed. */
export async function callApplication({ url, allowedHosts, ...init }: ApplicationCall): Promise<ApplicationResponse> {
  const refused = refuseCallbackUrl(url, allowedHosts)
  if (refused !== undefined) throw new Error(`The URL of the application ${refused}.`)
  const start = performance.now()
  const status = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).then(
    async response => {
      await response.body?.cancel()
      return response.status
    },
    () => 0,
  )
  return { status, ms: performance.now() - start }
}
