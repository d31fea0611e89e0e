import { type ComponentProps, useEffect, useEffectEvent, useState } from 'react'
import { debounceMs } from '../data/input-values.ts'

/**
 * A debounced input, so that typing doesn't send a request per letter. It adopts a new `value`, for example from a link,
 * but not its own earlier text.
 */
export function DebouncedInput(
  props: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
    readonly value: string
    readonly onSettle: (text: string) => void
  },
) {
  const { value, onSettle, ...input } = props
  const [typed, setTyped] = useState(value)
  const [reported, setReported] = useState(value)
  const [before, setBefore] = useState(value)
  if (value !== before) {
    setBefore(value)
    if (value !== reported) {
      setReported(value)
      setTyped(value)
    }
  }
  const report = useEffectEvent(() => {
    setReported(typed)
    onSettle(typed)
  })
  useEffect(() => {
    if (typed === reported) return
    const timer = setTimeout(report, debounceMs)
    return () => clearTimeout(timer)
  }, [typed, reported])
  return <input {...input} value={typed} onChange={event => setTyped(event.target.value)} />
}
