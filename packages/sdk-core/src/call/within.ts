/** Why work was not waited for. */
export type Stop = 'aborted' | 'timed_out'

/**
 * Waits for work no longer than its time, and not past the caller's signal, which wins over the time. The work gets
 * a signal of its own; it is not waited for where it ignores that. Leaves no listener and no timer behind.
 */
export async function within<Result extends object>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | Stop> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort = () => {}
  const stopped = new Promise<Stop>(resolve => {
    const stop = (why: Stop) => {
      resolve(why)
      controller.abort()
    }
    onAbort = () => stop('aborted')
    // An endless time is none: a timer would turn it into no time at all.
    if (ms <= longestMs) timer = setTimeout(stop, ms, 'timed_out')
  })
  signal?.addEventListener('abort', onAbort)
  try {
    if (signal?.aborted) onAbort()
    return await Promise.race([stopped, work(controller.signal)])
  } catch (error) {
    // Work may hang on the caller's signal by itself, and hear of it first.
    if (signal?.aborted) return 'aborted'
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The longest that a timer waits, milliseconds: beyond it, it fires at once. */
export const longestMs = 2_147_483_647
