/**
 * Copies a text. Browsers have `navigator.clipboard` only in a secure context: a page that came by plain HTTP from
 * another machine, as that of a shared sandbox does, copies what is selected instead.
 * @throws Error where the browser does not copy.
 */
export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) await navigator.clipboard.writeText(text)
  else if (!copyBySelection(text)) throw new Error("The browser didn't copy it. Select the text and copy it yourself.")
}

function copyBySelection(text: string): boolean {
  // A selection without focus: a dialog would take the focus back. Only a selected text is copied in every browser.
  const holder = document.createElement('pre')
  holder.className = 'visually-hidden'
  holder.textContent = text
  document.body.append(holder)
  const selection = document.getSelection()
  const before = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined
  // The text alone goes to the clipboard, without the style of the page.
  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', write, { once: true })
  try {
    selection?.selectAllChildren(holder)
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', write)
    selection?.removeAllRanges()
    if (before) selection?.addRange(before)
    holder.remove()
  }
}
