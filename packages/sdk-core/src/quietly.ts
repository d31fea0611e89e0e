/** A listener whose failures, thrown or rejected, touch nothing: a log must not break what it logs. */
export function quietly<Told>(listener: ((told: Told) => void) | undefined): (told: Told) => void {
  return told => {
    try {
      const returned: unknown = listener?.(told)
      if (returned instanceof Promise) returned.catch(() => {})
    } catch {
      // A log must not break what it logs.
    }
  }
}
