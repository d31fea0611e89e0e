import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'

/** The values that a parameter of the address may have: one of a list, or a text that matches. */
type Allowed = readonly string[] | RegExp

type Parameters = Readonly<Record<string, Allowed>>

/** The values of parameters. One that is missing is the empty text, the default of each. */
export type ValuesOf<Named extends Parameters> = {
  readonly [Name in keyof Named]: Named[Name] extends readonly (infer Value extends string)[] ? Value | '' : string
}

/** An id of the service. */
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Reads parameters. A value that isn't allowed, for example in a link from an older version, is the default. */
export function readParameters<const Named extends Parameters>(parameters: Named, search: URLSearchParams) {
  const values = Object.entries(parameters).map(([name, allowed]) => {
    const value = search.get(name) ?? ''
    const isAllowed = allowed instanceof RegExp ? allowed.test(value) : allowed.includes(value)
    return [name, isAllowed ? value : '']
  })
  return Object.fromEntries(values) as ValuesOf<Named>
}

/**
 * State of a view that is kept in its address, so that a reload, a link and the back button show the same thing. A change
 * replaces the entry of the history.
 */
export function useSearchState<const Named extends Parameters>(parameters: Named) {
  const [search, setSearch] = useSearchParams()
  // A change may be set a moment after it was typed: it must not undo one that another field made meanwhile.
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
