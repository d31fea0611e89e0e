import * as Dialog from '@radix-ui/react-dialog'
import { type ReactNode, useState } from 'react'
import { ErrorNote } from './elements.tsx'
import { Icon } from './icons.tsx'
import { toastError } from './toasts.tsx'

/** A dialog with its own overlay, because the library's adds a style element, which the page's policy forbids. */
export function Modal(props: {
  readonly title: string
  readonly about?: ReactNode
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly kind?: 'large' | 'drawer'
  /** Called when the focus is about to go back to where it was; `preventDefault` keeps it from that. */
  readonly onCloseAutoFocus?: (event: Event) => void
  readonly children: ReactNode
}) {
  return (
    <Dialog.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Dialog.Portal>
        <div className="overlay" />
        <Dialog.Content
          className={`dialog ${props.kind ?? ''}`}
          {...(props.onCloseAutoFocus && { onCloseAutoFocus: props.onCloseAutoFocus })}
          {...(props.about === undefined && { 'aria-describedby': undefined })}
        >
          <Dialog.Title className={props.kind === 'drawer' ? 'visually-hidden' : ''}>{props.title}</Dialog.Title>
          {props.about !== undefined && <Dialog.Description className="muted">{props.about}</Dialog.Description>}
          {props.children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** A dialog with a form. It closes if the action succeeds and shows the error if it fails. */
export function FormModal(props: {
  readonly title: string
  readonly about: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** The label of the submit button. */
  readonly send: string
  readonly action: { mutate(): void; readonly isPending: boolean; readonly error: unknown }
  readonly children: ReactNode
}) {
  const { title, about, open, onOpenChange, send, action, children } = props
  return (
    <Modal title={title} about={about} open={open} onOpenChange={onOpenChange}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          action.mutate()
        }}
      >
        {children}
        <ErrorNote error={action.error} />
        <div className="actions">
          <button type="button" onClick={() => onOpenChange(false)}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={action.isPending}>
            {send}
          </button>
        </div>
      </form>
    </Modal>
  )
}

/** Asks before something is lost. It closes if the action succeeds and shows the error if it fails. */
export function ConfirmDialog(props: {
  readonly question: string
  /** Says what will be lost. */
  readonly about: ReactNode
  /** The label of the confirm button. */
  readonly label: string
  readonly act: () => Promise<unknown>
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const { question, about, label, act, open, onOpenChange } = props
  const [failed, setFailed] = useState<unknown>()
  const [isActing, setActing] = useState(false)
  const change = (isOpen: boolean) => {
    setFailed(undefined)
    onOpenChange(isOpen)
  }
  const confirm = async () => {
    setActing(true)
    try {
      await act()
      change(false)
    } catch (thrown) {
      setFailed(thrown)
    } finally {
      setActing(false)
    }
  }
  return (
    <Modal title={question} about={about} open={open} onOpenChange={change}>
      <ErrorNote error={failed} />
      <div className="actions">
        <button type="button" onClick={() => change(false)}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={isActing} onClick={() => void confirm()}>
          {label}
        </button>
      </div>
    </Modal>
  )
}

/** A button that asks for confirmation. */
export function ConfirmButton(props: {
  readonly label: string
  /** The object, for screen readers, if there are several such buttons. */
  readonly of?: string
  readonly question: string
  readonly about: ReactNode
  readonly act: () => Promise<unknown>
  readonly small?: boolean
}) {
  const { label, of, small, ...asked } = props
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className={`danger ${small ? 'small' : ''}`} onClick={() => setOpen(true)}>
        {label} {of && <span className="visually-hidden">{of}</span>}
      </button>
      <ConfirmDialog label={label} {...asked} open={open} onOpenChange={setOpen} />
    </>
  )
}

/** Copies a text and confirms it. With `bare` it shows no label. */
export function CopyButton(props: {
  readonly label: string
  readonly bare?: boolean
  readonly small?: boolean
  readonly disabled?: boolean
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
      title={props.label}
      disabled={props.disabled}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      <span aria-live="polite" className={props.bare ? 'visually-hidden' : ''}>
        {copied ? 'Copied' : props.label}
      </span>
    </button>
  )
}

/**
 * Copies a text. Browsers have `navigator.clipboard` only in a secure context. A page of a shared sandbox that comes over
 * plain HTTP copies a selection instead.
 * @throws Error if the browser doesn't copy.
 */
async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) await navigator.clipboard.writeText(text)
  else if (!copyBySelection(text))
    throw new Error("The browser didn't allow copying. Select the text and copy it yourself.")
}

function copyBySelection(text: string): boolean {
  // Selects without focusing, because a dialog would take the focus back. All browsers copy only selected text.
  const holder = document.createElement('pre')
  holder.className = 'visually-hidden'
  holder.textContent = text
  document.body.append(holder)
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
