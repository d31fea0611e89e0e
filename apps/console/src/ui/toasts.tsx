import { useLayoutEffect, useRef, useSyncExternalStore } from 'react'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isBad: boolean
  readonly error?: unknown
}

/**
 * The time that a message is shown, in milliseconds. Errors stay longer, because they say what to do. No time passes while the pointer or the focus is on a message.
 */
const shownMs = { good: 3_500, bad: 9_000 }

let toasts: readonly Toast[] = []
let newest = 0
let isHeld = false
const timers = new Map<number, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Shows a success message. */
export function toast(text: string): void {
  add({ text, isBad: false })
}

/** Shows an error message. */
export function toastError(error: unknown): void {
  add({ text: error instanceof Error ? error.message : String(error), isBad: true, error })
}

/** Removes the message of an error that a view shows itself. */
export function dismissError(error: unknown): void {
  if (toasts.some(each => each.error === error)) change(toasts.filter(each => each.error !== error))
}

function add(message: Omit<Toast, 'id'>): void {
  const shown = { id: ++newest, ...message }
  // A success message is replaced by the next message, so that they don't pile up over the focused element.
  change([...toasts.filter(({ isBad }) => isBad).slice(-2), shown])
  if (!isHeld) startTimer(shown)
}

function remove(id: number): void {
  change(toasts.filter(each => each.id !== id))
  // The element under the pointer, or with the focus, is gone without an event.
  if (toasts.length === 0) hold(false)
}

function startTimer({ id, isBad }: Toast): void {
  const ms = isBad ? shownMs.bad : shownMs.good
  timers.set(
    id,
    setTimeout(() => remove(id), ms),
  )
}

/** Pauses or restarts the timers of all messages. */
function hold(held: boolean): void {
  if (held === isHeld) return
  isHeld = held
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  if (!held) for (const each of toasts) startTimer(each)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The recent messages. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
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
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      {shown.map(each => (
        <Message key={each.id} {...each} />
      ))}
    </div>
  )
}

function Message({ text, isBad }: Toast) {
  return (
    <div className={`toast line ends ${isBad ? 'bad' : 'good'}`}>
      <p>{text}</p>
    </div>
  )
}
