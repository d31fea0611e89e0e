import { useEffect, useState } from 'react'

/** The wait after the last keystroke, in milliseconds. */
export const debounceMs = 250

/** Returns a value once it hasn't changed for a moment, so that typing doesn't send a request per letter. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), debounceMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Texts by the names of their inputs. Empty ones are missing. */
export type Values = Readonly<Partial<Record<string, string>>>

/** Returns the texts that are filled in, trimmed. */
export function filled(texts: Readonly<Record<string, unknown>>): Record<string, string> {
  const trimmed = Object.entries(texts).map(([name, text]) => [name, String(text).trim()])
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''))
}
