import type { CallbackResponse, HttpEgress } from '../never-distribute/guarded-egress.ts'

/** A way out that can be closed. */
export interface ClosableEgress extends HttpEgress {
  /**
   * Ends at once, for the sender, what is under way and what is sent while `run` goes on: nothing waits for a receiver
   * whose answer is not wanted any more.
   */
  closedWhile<Result>(run: () => Promise<Result>): Promise<Result>
}

const closed: CallbackResponse = { error: 'not sent to its end: the tenant was restored or reset' }

/** A way out over another one. */
export function createClosableEgress(egress: HttpEgress): ClosableEgress {
  const underWay = new Set<() => void>()
  let closings = 0
  return {
    send(request) {
      if (closings > 0) return Promise.resolve(closed)
      return new Promise((resolve, reject) => {
        const end = () => resolve(closed)
        underWay.add(end)
        egress
          .send(request)
          .then(resolve, reject)
          .finally(() => underWay.delete(end))
      })
    },
    async closedWhile(run) {
      closings += 1
      for (const end of underWay) end()
      try {
        return await run()
      } finally {
        closings -= 1
      }
    },
  }
}
