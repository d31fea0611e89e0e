import { Icon, type IconName } from '../ui/icons.tsx'
import { density, type StoredChoice, theme, useStoredChoice } from '../ui/stored-choice.ts'

/** Switches from the system's theme to light, to dark, and back. */
export function ThemeSwitch() {
  return <Switch label="Theme" choice={theme} icons={{ system: 'system', light: 'sun', dark: 'moon' }} />
}

/** Switches between comfortable and compact rows and controls. */
export function DensitySwitch() {
  return (
    <Switch
      label="Density"
      className="wide-only"
      choice={density}
      icons={{ comfortable: 'comfortable', compact: 'compact' }}
    />
  )
}

function Switch<Value extends string>(props: {
  readonly label: string
  readonly className?: string
  readonly choice: StoredChoice<Value>
  readonly icons: Readonly<Record<Value, IconName>>
}) {
  const { label, className = '', choice, icons } = props
  const value = useStoredChoice(choice)
  const next = choice.values[(choice.values.indexOf(value) + 1) % choice.values.length] ?? value
  return (
    <button
      type="button"
      className={`quiet icon ${className}`}
      aria-label={`${label}: ${value}. Switch to ${next}`}
      title={`${label}: ${value}`}
      onClick={() => choice.change(next)}
    >
      <Icon name={icons[value]} />
    </button>
  )
}
