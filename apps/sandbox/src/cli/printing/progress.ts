import spinner from 'yocto-spinner'

/** Shows on a terminal's stderr that something is under way, until it is done. */
export async function withProgress<Value>(text: string, work: () => Promise<Value>): Promise<Value> {
  if (!process.stderr.isTTY) return work()
  const shown = spinner({ text }).start()
  try {
    return await work()
  } finally {
    shown.stop()
  }
}
