import { type ComponentType, lazy } from 'react'

/** The interval for polling the server until it responds, and the time-out of each request, milliseconds. */
const [retryMs, responseMs] = [1_000, 5_000]

/**
 * A component that loads on first use. If its file cannot be loaded, it is retried once the server responds.
 */
export function lazyView<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadUntilThere(load) }))
}

async function loadUntilThere<Props>(load: () => Promise<ComponentType<Props>>): Promise<ComponentType<Props>> {
  const { hash } = globalThis.location
  for (;;) {
    try {
      return await load()
    } catch (error) {
      while (!(await responds())) await pause()
      // A reload didn't help: the boundary around the view says so.
      if (wasReloaded()) throw error
      // A browser may cache a failed import, and a newer server has other files, so the page reloads at the same view.
      if (globalThis.location.hash === hash) globalThis.location.reload()
      await pause()
    }
  }
}

const pause = () => new Promise<void>(resolve => setTimeout(resolve, retryMs))

/** Returns true if this page's server responds. */
async function responds(): Promise<boolean> {
  const signal = AbortSignal.timeout(responseMs)
  const request = fetch(globalThis.location.pathname, { method: 'HEAD', cache: 'no-store', signal })
  return request.then(
    ({ ok }) => ok,
    () => false,
  )
}

/** The time during which another failure counts as not fixed by the reload, milliseconds. */
const reloadedMs = 10_000

function wasReloaded(): boolean {
  const [navigation] = performance.getEntriesByType('navigation')
  return (navigation as PerformanceNavigationTiming | undefined)?.type === 'reload' && performance.now() < reloadedMs
}
