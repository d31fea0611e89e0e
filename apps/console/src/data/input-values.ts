import { useEffect, useState } from 'react'

/** The debounce delay after the last keystroke, in milliseconds. */
export const debounceMs = 250

/** Debounces a value, so that typing doesn't send a request per letter. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), debounceMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Texts by input name, without empty ones. */
export type Values = Readonly<Partial<Record<string, string>>>

/** Returns the non-empty texts, trimmed. */
export function filled(texts: Readonly<Record<string, unknown>>): Record<string, string> {
  const trimmed = Object.entries(texts).map(([name, text]) => [name, String(text).trim()])
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''))
}
