/** A text that the browser keeps, or only this page where the browser denies storage. */
export interface KeptItem {
  read(): string | undefined
  /** Returns false if the text is lost with this page. */
  write(text: string): boolean
}

/** Creates an item: `localStorage` keeps it in this browser, `sessionStorage` in this tab. */
export function createKeptItem(storage: 'localStorage' | 'sessionStorage', name: string): KeptItem {
  let inPage: string | undefined
  return {
    read() {
      try {
        return inPage ?? globalThis[storage].getItem(name) ?? undefined
      } catch {
        return undefined
      }
    },
    write(text) {
      try {
        globalThis[storage].setItem(name, text)
        inPage = undefined
        return true
      } catch {
        inPage = text
        return false
      }
    },
  }
}

/** Says that {@link KeptItem.write} could not keep something, such as `the token`. */
export const notKept = (what: string) =>
  `This browser denies storage: ${what} lasts until you reload or close the page.`
