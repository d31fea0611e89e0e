import { useEffect, useState } from 'react'

/** The wait after the last keystroke, in milliseconds. */
export const settleMs = 250

/** Returns a value once it hasn't changed for a moment, so that typing doesn't send a request per letter. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Returns the texts that are filled in, trimmed. */
export function filled(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text.trim() ? [[name, text.trim()]] : [])))
}
