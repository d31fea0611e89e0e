import { useState } from 'react'
import { Icon } from './icons.tsx'
import { toastError } from './toasts.tsx'

/** Copies a text and confirms it. With `bare`, it shows no label. */
export function CopyButton(props: {
  readonly label: string
  /** The object, for screen readers, if there are several such buttons. */
  readonly of?: string
  readonly bare?: boolean
  readonly small?: boolean
  readonly disabled?: boolean
  /** Says why the text can't be copied. */
  readonly denied?: string | undefined
  readonly text: () => string
}) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await copyText(props.text())
      setCopied(true)
      setTimeout(() => setCopied(false), 1_500)
    } catch (error) {
      toastError(error)
    }
  }
  return (
    <button
      type="button"
      className={props.bare ? 'quiet small icon' : props.small ? 'small' : ''}
      title={props.denied ?? props.label}
      disabled={props.disabled || props.denied !== undefined}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      <span aria-live="polite" className={props.bare ? 'visually-hidden' : ''}>
        {copied ? 'Copied' : props.label}
        {props.of !== undefined && <span className="visually-hidden"> {props.of}</span>}
      </span>
    </button>
  )
}

/**
 * Copies a text. Browsers have `navigator.clipboard` only in a secure context, and may deny it. A page of a shared sandbox that
 * comes over plain HTTP copies a selection instead.
 * @throws Error if the browser doesn't copy.
 */
async function copyText(text: string): Promise<void> {
  const isCopied =
    'clipboard' in navigator &&
    (await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    ))
  if (!isCopied && !copyBySelection(text))
    throw new Error("The browser didn't allow copying. Select the text and copy it yourself.")
}

function copyBySelection(text: string): boolean {
  // Selects without focusing, because a dialog would take the focus back. All browsers copy only selected text.
  const holder = document.createElement('pre')
  holder.className = 'visually-hidden'
  holder.textContent = text
  // While a dialog is open, nothing outside it can be selected.
  const within = [...document.querySelectorAll('dialog')].at(-1) ?? document.body
  within.append(holder)
  const selection = document.getSelection()
  const before = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined
  // Copies plain text, without the page's styles.
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
