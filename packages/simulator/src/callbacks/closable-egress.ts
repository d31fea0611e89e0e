import type { Egress, EgressTry } from '@lead-distribution/engine'

/** A way out that can be closed. */
export interface ClosableEgress extends Egress {
  /**
   * Ends at once what is under way, for who sent it, and what is sent while `run` goes on: a receiver that does not
   * answer holds up nobody who does not want the answer any more.
   */
  closedWhile<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
}

const closed: EgressTry = { error: 'not sent to its end: the tenant was put back' }

/** A way out over another one. */
export function createClosableEgress(egress: Egress): ClosableEgress {
  const underWay = new Set<() => void>()
  let closings = 0
  return {
    send(outbound, callback) {
      if (closings > 0) return Promise.resolve(closed)
      return new Promise((resolve, reject) => {
        const end = () => resolve(closed)
        underWay.add(end)
        egress
          .send(outbound, callback)
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
