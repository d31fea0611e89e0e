// The button below an example of a guide, and the output of the example. Everything else loads when it is pressed.
import type { RunMessage } from './run-example.ts'

class RunExample extends HTMLElement {
  readonly #button = document.createElement('button')
  readonly #output = document.createElement('pre')
  #worker: Worker | undefined

  connectedCallback(): void {
    this.#button.type = 'button'
    this.#button.textContent = 'Run'
    this.#button.addEventListener('click', () => (this.#worker ? this.#end('Stopped.') : this.#start()))
    this.#output.setAttribute('role', 'status')
    this.#output.setAttribute('aria-label', 'Output')
    this.#output.hidden = true
    const about = document.createElement('span')
    about.textContent = 'Runs in this page, in a sandbox of its own. Nothing leaves the page.'
    this.replaceChildren(this.#button, about, this.#output)
  }

  disconnectedCallback(): void {
    this.#worker?.terminate()
  }

  #start(): void {
    const worker = new Worker(this.dataset.worker ?? '', { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<RunMessage>) => {
      if ('printed' in data) this.#print(data.printed)
      else this.#end(data.ended === 'failed' ? 'The example failed.' : undefined)
    })
    worker.addEventListener('error', () => this.#end("The example can't be loaded. Reload the page, and try again."))
    worker.postMessage(this.dataset.example)
    this.#worker = worker
    this.#output.textContent = ''
    this.#output.hidden = false
    this.#button.textContent = 'Stop'
  }

  #print(line: string): void {
    this.#output.append(`${line}\n`)
  }

  #end(line: string | undefined): void {
    this.#worker?.terminate()
    this.#worker = undefined
    if (line) this.#print(line)
    this.#button.textContent = 'Run again'
  }
}

customElements.define('run-example', RunExample)
