/** The pace of a run of calls. A `429` to one of them pauses all of them. */
export class Pace {
  /** Resolves when calls may be sent again; undefined if they may be sent now. */
  pause: Promise<void> | undefined
  /** The number of the round: the calls between two pauses. */
  round = 0
  /** The number of consecutive rounds that got nothing but `429`. */
  barrenRounds = 0
  /** True once the run sends nothing more. */
  ended = false
  /** The time when the pause ends, on the clock of `performance`. */
  #until = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #resume = () => {}

  /** Begins or extends a pause after a `429` to a call of this round. */
  slowDown(ms: number, round: number): void {
    if (this.ended) return
    // The response to a call of an earlier round says nothing about this one.
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

  /** Records a response other than `429`. */
  goOn(): void {
    this.barrenRounds = 0
  }

  /** Returns the rest of the pause, milliseconds. */
  left(): number {
    return this.pause ? Math.max(0, this.#until - performance.now()) : 0
  }

  /** Ends the pause for good: waiting calls are not sent. */
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
