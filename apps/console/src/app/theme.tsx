import { useSyncExternalStore } from 'react'
import { Icon } from '../ui/icons.tsx'

/** The themes to choose from. */
export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const item = 'lead-sandbox.theme'
const icons = { system: 'system', light: 'sun', dark: 'moon' } as const

/** Returns the theme chosen in this browser; default: the system's. */
export function storedTheme(): Theme {
  return themes.find(theme => theme === localStorage.getItem(item)) ?? 'system'
}

/** Applies a theme to the page. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.dataset.theme = theme
}

const listeners = new Set<() => void>()

/** Remembers a theme in this browser and applies it. */
export function changeTheme(theme: Theme): void {
  localStorage.setItem(item, theme)
  applyTheme(theme)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Switches from the system's theme to light, to dark, and back. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribe, storedTheme)
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      className="quiet icon"
      aria-label={`Theme: ${theme}. Switch to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => changeTheme(next)}
    >
      <Icon name={icons[theme]} />
    </button>
  )
}
