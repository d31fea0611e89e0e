/** A text in the browser's storage, or in this page's memory if the browser denies storage. */
export interface KeptItem {
  read(): string | undefined
  /** Returns false if the text is lost with this page. */
  write(text: string): boolean
}

/** Creates an item in `localStorage`, for this browser, or in `sessionStorage`, for this tab. */
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

/** Reports that {@link KeptItem.write} could not store something, such as `the token`. */
export const notKept = (what: string) =>
  `This browser denies storage: ${what} lasts until you reload or close the page.`
