import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface CommandRun {
  /** A shell command. */
  readonly command: string
  /** Added to our environment. */
  readonly environment: Readonly<Record<string, string>>
  /** The command is killed with its children after this time. */
  readonly timeoutMs: number
}

export interface CommandEnd {
  /** The output, truncated after 1 MiB. */
  readonly stdout: string
  /** Null if it was killed. */
  readonly exitCode: number | null
  /** True if it took too long. */
  readonly timedOut: boolean
  readonly ms: number
}

const maxOutput = 1_048_576

/** The time to wait for output after the command exits, milliseconds. */
const lastOutputMs = 1_000

/**
 * Runs a command in a shell. Its stderr goes to ours.
 * @throws Error it cannot be started.
 */
export async function runCommand({ command, environment, timeoutMs }: CommandRun): Promise<CommandEnd> {
  const start = performance.now()
  const child = await spawnShell(command, environment)
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
  // The shell's exit counts, because its background processes would keep the pipe open.
  const [exitCode] = await once(child, 'exit')
  clearTimeout(timer)
  process.off('exit', kill)
  kill()
  await Promise.race([closed, sleep(lastOutputMs, undefined, { ref: false })])
  child.stdout?.destroy()
  return { stdout: stdout.slice(0, maxOutput), exitCode, timedOut, ms: performance.now() - start }
}

async function spawnShell(command: string, environment: CommandRun['environment']): Promise<ChildProcess> {
  try {
    const child = spawn(command, {
      shell: true,
      // A separate process group, so that the shell's children are killed with it.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    })
    await once(child, 'spawn')
    return child
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The application's command could not be started: ${why}. Check that this machine has a shell and can start more processes.`,
    )
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // The whole group has exited.
  }
}

/** A request that goes directly to the application, not through the sandbox. */
export interface ApplicationRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Sends a request to the application, only to hosts that callbacks may reach, without following redirects. Resolves to
 * the status of the response; 0 if there is none.
 */
export type CallApplication = (request: ApplicationRequest) => Promise<number>

/** The access to either side's application. */
export interface Application {
  readonly call: CallApplication
  /** The timeout of its commands, milliseconds. */
  readonly commandTimeoutMs: number
}
