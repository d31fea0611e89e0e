/** Lets calls through at once, all together, unless it is closed for something that must be alone. */
export interface Gate {
  pass<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
  /** Waits for the calls that passed, then runs alone; calls that come meanwhile wait. */
  alone<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
}

/** An open gate. */
export function createGate(): Gate {
  let inside = 0
  let left: (() => void) | undefined
  let closed: Promise<unknown> | undefined

  return {
    async pass(run) {
      while (closed) await closed
      inside += 1
      try {
        return await run()
      } finally {
        inside -= 1
        if (inside === 0) left?.()
      }
    },
    async alone(run) {
      while (closed) await closed
      const over = Promise.withResolvers<void>()
      closed = over.promise
      try {
        if (inside > 0) await new Promise<void>(resolve => (left = resolve))
        return await run()
      } finally {
        left = undefined
        closed = undefined
        over.resolve()
      }
    },
  }
}
