import { constants } from 'node:os'

/** The interval of checking for the parent process, milliseconds. */
const parentCheckMs = 250

/** Signals within this time count as one: the terminal, npm and a runner may each send the same one. Milliseconds. */
const sameSignalMs = 1_000

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP (a terminal sends it when it is closed), and with `withParent` also when
 * the parent process ends: npx ends on SIGTERM
 * without a signal to the program that it runs. A later signal ends the process at once.
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

/** On Windows the id of the parent stays after its end, so the process itself is looked for. */
function hasEnded(parent: number): boolean {
  try {
    return process.ppid !== parent || !process.kill(parent, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * The reader of our output may close it early, as `head` does, also that of a help: that is an end, not an error. What
 * failed before, such as `coverage --min`, has failed all the same.
 */
export function endWithReader(): void {
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    // What follows until a signal ends as by one, and tidies up.
    if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM')
    else process.exit()
  })
}
