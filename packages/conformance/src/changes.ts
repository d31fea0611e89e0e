import type { LeadSubmission } from '@lead-distribution/contract'
import type { Changes } from './target.ts'

/** A body after its changes; objects and lists on the way that are missing are made. */
export function withChanges(body: LeadSubmission, changes: Changes): LeadSubmission {
  const changed = structuredClone(body)
  for (const [path, value] of Object.entries(changes)) {
    const words = path.split('.')
    const last = words.pop() ?? ''
    const place = words.reduce((parent: object, word, depth) => {
      const isList = /^\d+$/.test(words[depth + 1] ?? last)
      if (Reflect.get(parent, word) === undefined) Reflect.set(parent, word, isList ? [] : {})
      return Reflect.get(parent, word)
    }, changed)
    if (value === undefined) Reflect.deleteProperty(place, last)
    else Reflect.set(place, last, structuredClone(value))
  }
  return changed
}
