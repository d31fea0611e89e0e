import { vi } from 'vitest'
import { isOutput } from './compare-output.ts'
import { Names } from './compare-text.ts'
import type { Step } from './parse-guide.ts'
import type { Printed, Reader, Terminal } from './reader.ts'

/** Presses a button on the page at a URL. */
export type PressButton = (url: string, button: string) => Promise<unknown>

/** How long a terminal may take to show what the guide shows, milliseconds: far above what it needs. */
const terminalTimeoutMs = 30_000

/** A guide on its way: what was printed so far, and what its ids stand for. */
export class FollowedGuide {
  readonly #reader: Reader
  readonly #press: PressButton
  readonly #comparison
  #last: Printed | undefined
  #terminal: Terminal | undefined
  #page: string | undefined

  constructor(reader: Reader, exactTimes: boolean, press: PressButton) {
    this.#reader = reader
    this.#press = press
    this.#comparison = { names: new Names(), exactTimes }
  }

  /** Takes the next step. Rejects where it does not come out as the guide says. */
  async take(step: Step): Promise<void> {
    try {
      await this.#take(step)
    } catch (fault) {
      throw new Error(`Line ${step.line} of the guide: ${(fault as Error).message}`)
    }
  }

  async #take(step: Step): Promise<void> {
    if (step.kind === 'file') await this.#reader.save(step.name, step.code)
    if (step.kind === 'terminal') this.#terminal = await this.#reader.open(step.code)
    if (step.kind === 'command') await this.#type(step.code, step.exit)
    if (step.kind === 'press') await this.#press(this.#page ?? 'no redirect_url was printed', step.button)
    if (step.kind !== 'output') return
    const { format, text, of } = step
    if (of === 'command') return this.#compare(format, text, printedBy(this.#last))
    await vi.waitFor(() => this.#compare(format, text, this.#terminal?.printed() ?? ''), { timeout: terminalTimeoutMs })
  }

  async #type(code: string, exit: number): Promise<void> {
    const printed = await this.#reader.type(code)
    if (printed.code !== exit)
      throw new Error(`the block ended with ${printed.code} instead of ${exit}.\n${printedBy(printed)}`)
    this.#last = printed
    this.#page = /https?:\/\/[^\s"]+\/_sandbox\/lender\/[^\s"]+/.exec(printed.stdout)?.[0] ?? this.#page
  }

  #compare(format: 'json' | 'text', shown: string, printed: string): void {
    if (isOutput(format, shown, printed, this.#comparison)) return
    throw new Error(`the guide shows\n${shown}\nbut this was printed:\n${printed}`)
  }
}

/** What a reader sees in the shell. */
function printedBy(printed: Printed | undefined): string {
  return printed === undefined ? '' : `${printed.stdout}\n${printed.stderr}`
}
