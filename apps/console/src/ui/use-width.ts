import { type RefObject, useLayoutEffect, useState } from 'react'

/** The width of an element in pixels, without its border; 0 until measured. A hidden element keeps its last width. */
export function useWidth(element: RefObject<Element | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setWidth(before => current.clientWidth || before)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}
