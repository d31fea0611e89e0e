/**
 * Waits for work until the signal aborts, then rejects with the signal's reason. Work that ignores the signal is no
 * longer waited for. Leaves no listener behind.
 */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  if (!signal) return await work()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
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
