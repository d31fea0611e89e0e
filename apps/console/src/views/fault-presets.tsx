import {
  type FaultPreset,
  type FaultPresetValues,
  faultPresetFields,
  faultPresets,
} from '@lead-distribution/control-client/core'
import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { Card, ErrorNote } from '../ui/elements.tsx'
import { TextField } from '../ui/forms.tsx'
import './faults.css'

/** Faults by intention. One click sets each. */
export function FaultPresets() {
  return (
    <Card title="What should go wrong?">
      <ul className="presets tiles">
        {Object.entries<FaultPreset>(faultPresets).map(([name, preset]) => (
          <PresetCard key={name} preset={preset} />
        ))}
      </ul>
    </Card>
  )
}

const usual: FaultPresetValues = { times: faultPresetFields.times.usual, seconds: faultPresetFields.seconds.usual }

function PresetCard({ preset }: { readonly preset: FaultPreset }) {
  const { label, about, fields, fault } = preset
  const [values, setValues] = useState(usual)
  const add = useAction(control => control.faults.add(fault(values)), `${label}: the fault is set.`)
  return (
    <li>
      <form
        className="framed stack"
        aria-label={label}
        onSubmit={event => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <h3>{label}</h3>
        <p className="muted">{about(values)}</p>
        <div className="actions">
          {fields.map(name => {
            const { label, min, max } = faultPresetFields[name]
            return (
              <TextField
                key={name}
                label={label}
                type="number"
                required
                min={min}
                max={max}
                value={values[name] || ''}
                onChange={event => setValues({ ...values, [name]: event.target.valueAsNumber })}
              />
            )
          })}
          <button type="submit" className="end" disabled={add.isPending}>
            Set <span className="visually-hidden">{label}</span>
          </button>
        </div>
        <ErrorNote error={add.error} />
      </form>
    </li>
  )
}
