/**
 * The pace of a run of calls. A `429` to one of them holds all of them back: the service asks the client to slow down,
 * not the one lead.
 */
export class Pace {
  /** Resolves when calls may be sent again; undefined where they may be sent now. */
  pause: Promise<void> | undefined
  /** The calls between two pauses are a round. */
  round = 0
  /** How many rounds in a row brought nothing but `429`. */
  barrenRounds = 0
  /** Set once the run sends nothing more. */
  ended = false
  /** When the pause is over, on the clock of `performance`. */
  #until = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #resume = () => {}

  /** Begins a pause, or makes it longer, after a `429` to a call of this round. */
  slowDown(ms: number, round: number): void {
    if (this.ended) return
    // The reply to a call of an earlier round says nothing about this one.
    if (round === this.round) {
      this.round += 1
      this.barrenRounds += 1
    }
    const until = performance.now() + ms
    if (!this.pause) {
      this.pause = new Promise(resolve => {
        this.#resume = resolve
      })
    } else if (until <= this.#until) return
    this.#until = until
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#open(), ms)
  }

  /** Notes a reply that is no `429`. */
  goOn(): void {
    this.barrenRounds = 0
  }

  /** Milliseconds that are left of the pause. */
  left(): number {
    return this.pause ? Math.max(0, this.#until - performance.now()) : 0
  }

  /** Ends the pause for good: what waits is not sent. */
  end(): void {
    this.ended = true
    this.#open()
  }

  #open(): void {
    clearTimeout(this.#timer)
    this.pause = undefined
    this.#resume()
  }
}
