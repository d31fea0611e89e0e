import { useSyncExternalStore } from 'react'

/** An edited value that isn't saved yet. */
export interface Unsaved {
  /** The value when the edit began. */
  readonly base: unknown
  readonly value: unknown
  /** The text of the JSON tab while it isn't valid JSON. */
  readonly text?: string | undefined
}

// Kept while the page is open, and not in its storage, because an account has secrets.
const unsaved = new Map<string, Unsaved>()
const listeners = new Set<() => void>()

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

/** Keeps an edited value under a key, also while its form is closed, or forgets it. */
export function keepUnsaved(key: string, edited: Unsaved | undefined): void {
  if (edited) unsaved.set(key, edited)
  else unsaved.delete(key)
  if (unsaved.size > 0) globalThis.addEventListener('beforeunload', askBeforeLeaving)
  else globalThis.removeEventListener('beforeunload', askBeforeLeaving)
  for (const listener of listeners) listener()
}

/** The edited value under a key. */
export function useUnsaved(key: string): Unsaved | undefined {
  return useSyncExternalStore(subscribe, () => unsaved.get(key))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
