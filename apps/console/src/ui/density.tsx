import { useLayoutEffect, useSyncExternalStore } from 'react'
import { Icon } from './icons.tsx'

const densities = ['comfortable', 'compact'] as const

/** The height of rows and controls, and the space around them. */
export type Density = (typeof densities)[number]

const item = 'lead-sandbox.density'
const listeners = new Set<() => void>()

function storedDensity(): Density {
  return densities.find(density => density === localStorage.getItem(item)) ?? 'comfortable'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the density chosen in this browser; default: comfortable. */
export function useDensity(): Density {
  return useSyncExternalStore(subscribe, storedDensity)
}

/** Switches between comfortable and compact, and applies the density to the page. */
export function DensitySwitch() {
  const density = useDensity()
  const next = density === 'comfortable' ? 'compact' : 'comfortable'
  useLayoutEffect(() => {
    document.documentElement.dataset.density = density
  }, [density])
  return (
    <button
      type="button"
      className="quiet icon wide-only"
      aria-label={`Density: ${density}. Switch to ${next}`}
      title={`Density: ${density}`}
      onClick={() => {
        localStorage.setItem(item, next)
        for (const listener of listeners) listener()
      }}
    >
      <Icon name={density} />
    </button>
  )
}
