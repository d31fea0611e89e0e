import { useSyncExternalStore } from 'react'
import type { Edit } from './schema.ts'

/** Changes that aren't saved yet. */
export interface Unsaved {
  readonly edits: readonly Edit[]
  /** The text of the JSON tab while it isn't valid JSON, and the value that it was edited from. */
  readonly json?: { readonly text: string; readonly before: unknown }
}

// Kept while the page is open, and not in its storage, because an account has secrets.
const unsaved = new Map<string, Unsaved>()
const listeners = new Set<() => void>()

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

/** Keeps changes under a key, also while their form is closed, or forgets them. */
export function keepUnsaved(key: string, changes: Unsaved | undefined): void {
  if (changes) unsaved.set(key, changes)
  else unsaved.delete(key)
  if (unsaved.size > 0) globalThis.addEventListener('beforeunload', askBeforeLeaving)
  else globalThis.removeEventListener('beforeunload', askBeforeLeaving)
  for (const listener of listeners) listener()
}

/** The changes under a key. */
export function useUnsaved(key: string): Unsaved | undefined {
  return useSyncExternalStore(subscribe, () => unsaved.get(key))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
