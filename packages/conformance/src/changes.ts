import type { LeadSubmission } from '@lead-distribution/contract'
import type { Changes } from './target.ts'

/** A body after its changes; objects and lists on the way that are missing are made. */
export function withChanges(body: LeadSubmission, changes: Changes): LeadSubmission {
  const changed = structuredClone(body)
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const place = names.reduce((parent: object, name, depth) => {
      const isList = /^\d+$/.test(names[depth + 1] ?? last)
      if (Reflect.get(parent, name) === undefined) Reflect.set(parent, name, isList ? [] : {})
      return Reflect.get(parent, name)
    }, changed)
    if (value === undefined) Reflect.deleteProperty(place, last)
    else Reflect.set(place, last, structuredClone(value))
  }
  return changed
}
