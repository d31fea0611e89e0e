import { useSyncExternalStore } from 'react'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isBad: boolean
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
  const id = ++newest
  change([...toasts.slice(-2), { id, ...message }])
  setTimeout(() => change(toasts.filter(each => each.id !== id)), message.isBad ? shownMs.bad : shownMs.good)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The recent messages. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text, isBad }) => (
        <p key={id} className={`toast ${isBad ? 'bad' : ''}`}>
          {text}
        </p>
      ))}
    </div>
  )
}
