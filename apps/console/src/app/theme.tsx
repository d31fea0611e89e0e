import { useState } from 'react'
import { Icon } from '../ui/icons.tsx'

const themes = ['system', 'light', 'dark'] as const
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

/** Switches from the system's theme to light, to dark, and back. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      className="quiet icon"
      aria-label={`Theme: ${theme}. Switch to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => {
        localStorage.setItem(item, next)
        applyTheme(next)
        setTheme(next)
      }}
    >
      <Icon name={icons[theme]} />
    </button>
  )
}
