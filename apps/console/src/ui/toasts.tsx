import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
  readonly error?: unknown
}

/** The time that a message is shown, in milliseconds. Errors stay longer, because they say what to do. */
const shownMs = { good: 3_500, bad: 9_000 }

let toasts: readonly Toast[] = []
let newest = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Shows a success message. */
export function toast(text: string): void {
  add({ text, tone: 'good' })
}

/** Shows an error message. */
export function toastError(error: unknown): void {
  add({ text: error instanceof Error ? error.message : String(error), tone: 'bad', error })
}

/** Removes the message of an error that a view shows itself. */
export function dismissError(error: unknown): void {
  if (toasts.some(each => each.error === error)) change(toasts.filter(each => each.error !== error))
}

function add(message: Omit<Toast, 'id'>): void {
  // A success message is replaced by the next message, so that they don't pile up over the focused element.
  change([...toasts.filter(({ tone }) => tone === 'bad').slice(-2), { id: ++newest, ...message }])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The recent messages. No time passes while the pointer or the focus is on one of them. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  const [isHeld, setHeld] = useState(false)
  // The element under the pointer, or with the focus, is gone without an event.
  if (isHeld && shown.length === 0) setHeld(false)
  const popover = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message is to be above a dialog that opened before it.
  useLayoutEffect(() => {
    if (document.querySelector('dialog')) popover.current?.hidePopover()
    popover.current?.showPopover()
  }, [shown])
  return (
    <div
      ref={popover}
      popover="manual"
      className="toasts"
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {shown.map(each => (
        <Message key={each.id} {...each} isHeld={isHeld} />
      ))}
    </div>
  )
}

function Message({ id, text, tone, isHeld }: Toast & { readonly isHeld: boolean }) {
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => change(toasts.filter(each => each.id !== id)), shownMs[tone])
    return () => clearTimeout(timer)
  }, [id, tone, isHeld])
  return <p className={`toast ${tone}`}>{text}</p>
}
