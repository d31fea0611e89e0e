import { useSyncExternalStore } from 'react'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isBad: boolean
}

/** How long a message shows, milliseconds. An error shows longer: it says what to do. */
const shownMs = { good: 3_500, bad: 9_000 }

let toasts: readonly Toast[] = []
let newest = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says that something was done. */
export function toast(text: string, isBad = false): void {
  const id = ++newest
  change([...toasts.slice(-2), { id, text, isBad }])
  setTimeout(() => change(toasts.filter(each => each.id !== id)), isBad ? shownMs.bad : shownMs.good)
}

/** Says why something failed. */
export function toastError(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error), true)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The messages of the last seconds. */
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
