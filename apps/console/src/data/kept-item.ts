/** The storage of this browser, or of this tab. */
type StorageName = 'localStorage' | 'sessionStorage'

/** Texts of this page, for a browser that denies storage. */
const inPage = new Map<string, string>()

/** Returns a kept text; undefined if there is none. */
export function readKept(storage: StorageName, name: string): string | undefined {
  try {
    return inPage.get(name) ?? globalThis[storage].getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text. Returns false if the browser denies storage, so the text is lost with this page. */
export function keep(storage: StorageName, name: string, text: string): boolean {
  try {
    globalThis[storage].setItem(name, text)
    inPage.delete(name)
    return true
  } catch {
    inPage.set(name, text)
    return false
  }
}
