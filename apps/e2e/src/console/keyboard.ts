import type { ElementHandle, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

type Role = Parameters<Page['getByRole']>[0]

/** The topmost dialog, or the page if none is open. */
const reachable = 'dialog[open], body:not(:has(dialog[open]))'

/** More tab stops than any view has. More would be too many to walk through. */
const maxTabs = 150

/**
 * A visitor with a keyboard and no pointer, who reaches everything by the tab key,
 * with the focus in sight wherever it stops.
 */
export class Keyboard {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Presses a key on the element with this role and name. While a dialog is open, only its elements can be reached. */
  async press(role: Role, name: string | RegExp, key = 'Enter'): Promise<void> {
    await this.reach(this.#find(role, name))
    await this.#page.keyboard.press(key)
  }

  /** Replaces an input's text by typing. */
  async type(label: string | RegExp, text: string): Promise<void> {
    await this.reach(
      this.#find('textbox', label).or(this.#find('spinbutton', label)).or(this.#find('searchbox', label)),
    )
    await this.#page.keyboard.press('ControlOrMeta+A')
    await this.#page.keyboard.insertText(text)
  }

  /** Chooses an option with the arrow keys. */
  async choose(label: string, option: string): Promise<void> {
    const list = this.#find('combobox', label)
    await this.reach(list)
    await this.#page.keyboard.press('Home')
    const options = await list.evaluate(element => (element as HTMLSelectElement).options.length)
    for (let steps = 0; steps < options; steps++) {
      if ((await chosenOf(list)) === option) return
      await this.#page.keyboard.press('ArrowDown')
    }
    expect.fail(`The list "${label}" has no option "${option}"; the last one is "${await chosenOf(list)}".`)
  }

  /** Opens a view from the navigation, which is behind a button on a narrow page. */
  async goTo(view: string): Promise<void> {
    const menu = this.#page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await this.press('button', 'Menu')
    await this.press('link', new RegExp(`^${view}$`))
    await this.#page.getByRole('heading', { level: 1, name: view }).waitFor()
  }

  /** Moves the focus with the tab key to this element. Each stop on the way must be visible, too. */
  async reach(wanted: Locator): Promise<void> {
    // Finding an element by role takes far longer than a key press, so it is repeated only after a re-render.
    let element = await elementOf(wanted)
    for (let tabs = 0; tabs < maxTabs; tabs++) {
      if (!(await element.evaluate(({ isConnected }) => isConnected))) element = await elementOf(wanted)
      let isReached = false
      const look = async () => {
        const found = await this.#page.evaluate(focusOf, element)
        isReached = found.isReached
        return found
      }
      // The page may still scroll to the element.
      await expect.poll(look).toMatchObject(inSight)
      if (isReached) return
      await this.#page.keyboard.press('Tab')
    }
    const { html } = await this.#page.evaluate(focusOf, element)
    expect.fail(`${wanted} is not reached by the tab key. The focus is on: ${html}`)
  }

  #find(role: Role, name: string | RegExp): Locator {
    return this.#page.locator(reachable).last().getByRole(role, { name }).first()
  }
}

function chosenOf(list: Locator): Promise<string | undefined> {
  return list.evaluate(element => (element as HTMLSelectElement).selectedOptions[0]?.label)
}

const inSight = { isOutlined: true, isInView: true, isUncovered: true }

/** Returns a locator's element, once it exists. */
async function elementOf(wanted: Locator): Promise<ElementHandle<HTMLElement | SVGElement>> {
  await wanted.waitFor()
  return (await wanted.elementHandle()) ?? expect.fail(`${wanted} is gone.`)
}

/** Returns the visible focus, and true if it is on this element. The body, which has it first, needs no mark. */
function focusOf(wanted: HTMLElement | SVGElement) {
  const element = document.activeElement ?? document.body
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const { left, right, top, bottom } = element.getBoundingClientRect()
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  const onTop = document.elementFromPoint(x, y)
  // An element with a shadow root shows the focus of its content.
  const focused = element.shadowRoot?.activeElement ?? element
  const isBody = element === document.body
  return {
    html: element.outerHTML.slice(0, 160),
    isReached: wanted === (wanted.getRootNode() as Document).activeElement,
    isOutlined:
      isBody || (focused.matches(':focus-visible') && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1),
    isInView: isBody || (right > left && bottom > top && x >= 0 && x <= innerWidth && y >= 0 && y <= innerHeight),
    isUncovered: isBody || (onTop !== null && (element.contains(onTop) || onTop.contains(element))),
  }
}
