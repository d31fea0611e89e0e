import {
  type FaultPreset,
  type FaultPresetValues,
  faultPresetFields,
  faultPresets,
} from '@lead-distribution/control-client/core'
import { useState } from 'react'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Card, ErrorNote, Field } from '../ui/elements.tsx'
import './faults.css'

/** Faults by intention. One click sets each. */
export function FaultPresets({ tenant }: { readonly tenant: string }) {
  return (
    <Card title="What should go wrong?">
      <ul className="presets">
        {Object.entries<FaultPreset>(faultPresets).map(([name, preset]) => (
          <PresetCard key={name} tenant={tenant} preset={preset} />
        ))}
      </ul>
    </Card>
  )
}

const usual: FaultPresetValues = { times: faultPresetFields.times.usual, seconds: faultPresetFields.seconds.usual }

function PresetCard({ tenant, preset }: { readonly tenant: string; readonly preset: FaultPreset }) {
  const { label, about, fields, fault } = preset
  const [values, setValues] = useState(usual)
  const add = useAction(tenant, () => sandbox.control(tenant).faults.add(fault(values)), `${label}: the fault is set.`)
  return (
    <li>
      <form
        aria-label={label}
        onSubmit={event => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <h3>{label}</h3>
        <p className="muted">{about(values)}</p>
        <div className="preset-actions">
          {fields.map(name => {
            const { label, min, max } = faultPresetFields[name]
            return (
              <Field key={name} label={label}>
                {ids => (
                  <input
                    {...ids}
                    type="number"
                    required
                    min={min}
                    max={max}
                    value={values[name] || ''}
                    onChange={event => setValues({ ...values, [name]: event.target.valueAsNumber })}
                  />
                )}
              </Field>
            )
          })}
          <button type="submit" disabled={add.isPending}>
            Set <span className="visually-hidden">{label}</span>
          </button>
        </div>
        <ErrorNote error={add.error} />
      </form>
    </li>
  )
}
