/** A listener whose failures, thrown or rejected, are ignored: a log must not break what it logs. */
export function safeListener<Event>(listener: ((event: Event) => void) | undefined): (event: Event) => void {
  return event => {
    try {
      const returned: unknown = listener?.(event)
      if (returned instanceof Promise) returned.catch(() => {})
    } catch {
      // Ignored: see above.
    }
  }
}
