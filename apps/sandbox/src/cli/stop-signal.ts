import { constants } from 'node:os'

/** The interval at which the parent process is checked, milliseconds. */
const parentCheckMs = 250

/** Signals within this time count as one: the terminal, npm and a runner may each send the same one. Milliseconds. */
const sameSignalMs = 1_000

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP (a terminal sends it on closing). With `withParent`, also resolves
 * when the parent process ends, because npx exits on SIGTERM without forwarding it. A later signal ends the process
 * immediately.
 */
export function stopSignal(withParent: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let stoppedAt: number | undefined
  const stop = () => {
    stoppedAt ??= performance.now()
    resolve()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      stop()
      if (performance.now() - (stoppedAt ?? 0) > sameSignalMs) process.exit(128 + constants.signals[signal])
    })
  if (withParent) onParentEnd(stop)
  return promise
}

function onParentEnd(stop: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (!hasEnded(parent)) return
    clearInterval(timer)
    stop()
  }, parentCheckMs).unref()
}

/** On Windows the parent's id stays after it exits, so check the process itself. */
function hasEnded(parent: number): boolean {
  try {
    return process.ppid !== parent || !process.kill(parent, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * The reader may close our output early, as `head` does: that ends the command without an error. An earlier failure,
 * such as by `coverage --min`, still counts.
 */
export function endWithReader(): void {
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    // Work that lasts until a signal ends like on a signal, including its cleanup.
    if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM')
    else process.exit()
  })
}
