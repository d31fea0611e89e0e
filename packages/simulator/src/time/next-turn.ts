/**
 * Resolves once whatever waits for the event loop had its turn, so that long work lets other calls in. A message, and no
 * timer: timers wait longer, and stand still where a test fakes them.
 */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
