// The button above the playground that gives it the whole window, and back. The sandbox inside goes on.
class WholeWindow extends HTMLElement {
  readonly #button = document.createElement('button')

  connectedCallback(): void {
    this.#button.type = 'button'
    this.#button.addEventListener('click', () => this.#show(!this.classList.contains('whole')))
    this.addEventListener('keydown', ({ key }) => key === 'Escape' && this.#show(false))
    this.prepend(this.#button)
    this.#show(false)
  }

  #show(whole: boolean): void {
    this.classList.toggle('whole', whole)
    this.#button.textContent = whole ? 'Back to the page' : 'Use the whole window'
  }
}

customElements.define('whole-window', WholeWindow)
