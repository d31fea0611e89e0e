import { setTimeout } from 'node:timers/promises'

/** How long to pause between two looks, milliseconds. */
const pauseMs = 500

/**
 * Looks once, or again and again until Ctrl-C, which is then a good end. A second Ctrl-C ends the process at once.
 */
export async function follow(look: () => Promise<void>, isFollowing: boolean): Promise<void> {
  const stop = new AbortController()
  if (isFollowing) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  do {
    await look()
    if (isFollowing) await setTimeout(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
  } while (isFollowing && !stop.signal.aborted)
}
