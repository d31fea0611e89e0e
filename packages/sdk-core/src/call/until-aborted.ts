/**
 * Waits for work until the signal aborts, then rejects with the signal's reason. Work that ignores the signal is no
 * longer waited for. Leaves no listener behind.
 */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  if (!signal) return await work()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  // Before the work begins, whose own listener would otherwise be called first.
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([aborted, work()])
  } catch (error) {
    // The work may be ended by the same signal on another way, and report it first.
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * A signal of one call that follows the caller's. Whatever a library hangs on it goes with the call; of the caller's,
 * which may live as long as the process, one listener is taken, and `release` takes it off.
 */
export function followSignal(signal: AbortSignal | undefined): { signal: AbortSignal | undefined; release(): void } {
  if (!signal) return { signal, release() {} }
  const controller = new AbortController()
  // Without the caller's reason, which may hold anything.
  const abort = () => controller.abort()
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return { signal: controller.signal, release: () => signal.removeEventListener('abort', abort) }
}
