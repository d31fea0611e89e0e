import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'

/** A URL parameter's allowed values: a list, or a pattern. */
type Allowed = readonly string[] | RegExp

type Parameters = Readonly<Record<string, Allowed>>

/** Parameter values. A missing one is the empty text, which is each one's default. */
export type ValuesOf<Named extends Parameters> = {
  readonly [Name in keyof Named]: Named[Name] extends readonly (infer Value extends string)[] ? Value | '' : string
}

/** An id of the service. */
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Reads parameters. A value that isn't allowed, for example from an older version's link, becomes the default. */
export function readParameters<const Named extends Parameters>(parameters: Named, search: URLSearchParams) {
  const values = Object.entries(parameters).map(([name, allowed]) => {
    const value = search.get(name) ?? ''
    const isAllowed = allowed instanceof RegExp ? allowed.test(value) : allowed.includes(value)
    return [name, isAllowed ? value : '']
  })
  return Object.fromEntries(values) as ValuesOf<Named>
}

/**
 * A view's state in its URL, so that a reload, a link and the back button show the same. A change replaces the history entry.
 */
export function useSearchState<const Named extends Parameters>(parameters: Named) {
  const [search, setSearch] = useSearchParams()
  // A change is applied a moment after typing, and must not undo another field's change in the meantime.
  const newest = useRef(search)
  useEffect(() => {
    newest.current = search
  }, [search])
  const set = (change: Partial<ValuesOf<Named>>) => {
    const next = new URLSearchParams(newest.current)
    for (const [name, value] of Object.entries<string | undefined>(change)) {
      if (value) next.set(name, value)
      else next.delete(name)
    }
    newest.current = next
    setSearch(next, { replace: true })
  }
  return [readParameters(parameters, search), set] as const
}
