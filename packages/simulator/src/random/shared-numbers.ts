/**
 * Numbers across processes. `reserve` reserves so many that no other process has, and resolves to the first. Whoever waits
 * at the same time shares a reservation; none is reserved ahead, so that numbers grow as calls come in, and without gaps
 * where one process runs.
 */
export function createSharedNumbers(reserve: (count: number) => Promise<number>): () => Promise<number> {
  let waiting: PromiseWithResolvers<number>[] = []
  let reserving = false

  async function reserveAll(): Promise<void> {
    reserving = true
    while (waiting.length > 0) {
      const all = waiting
      waiting = []
      try {
        const first = await reserve(all.length)
        for (const [index, { resolve }] of all.entries()) resolve(first + index)
      } catch (error) {
        for (const { reject } of all) reject(error)
      }
    }
    reserving = false
  }

  return () => {
    const number = Promise.withResolvers<number>()
    waiting.push(number)
    if (!reserving) void reserveAll()
    return number.promise
  }
}
