import type { TenantControl } from '@lead-distribution/control-client'
import {
  type EffectDefinition,
  type EffectName,
  effects,
  effectsOn,
  type FaultPreset,
  faultPresets,
  presetFields,
  usualPresetValues,
} from '@lead-distribution/simulator/effects'
import { useState } from 'react'
import { operationLabels } from '../data/format.ts'
import type { Values } from '../data/input-values.ts'
import { useAction } from '../data/live.ts'
import { useSearchState } from '../data/search-state.ts'
import { Card, ErrorNote } from '../ui/elements.tsx'
import { Form, SelectField, TextField } from '../ui/forms.tsx'
import './faults.css'

type NewFault = Parameters<TenantControl['faults']['add']>[0]
type Operation = NewFault['match']['operation']

const rows: Readonly<Record<EffectName, EffectDefinition>> = effects

/** Describes the effect of a fault. */
export function effectOf({ retry_after, ...effect }: NewFault['effect']): string {
  const named = Object.entries(effect).map(([name, given]) => {
    const { label, value } = rows[name as EffectName]
    return value ? `${label} (${given}${value.unit ?? ''})` : label
  })
  return [...named, ...(retry_after === undefined ? [] : [`retry after ${retry_after} s`])].join(', ')
}

const operations = Object.entries(operationLabels).map(([value, label]) => ({ value: value as Operation, label }))

/** The parameters of a link that fills in the form of a fault. */
export const faultParameters = {
  operation: operations.map(({ value }) => value),
  effect: Object.keys(effects) as EffectName[],
  times: /^\d{1,7}$/,
} as const

/** A form for every effect of a fault. */
export function FaultForm() {
  const [linked] = useSearchState(faultParameters)
  const [operation, setOperation] = useState<Operation>(linked.operation || 'submitLead')
  const [name, setName] = useState<EffectName>(
    linked.effect && effectsOn(operation).includes(linked.effect) ? linked.effect : 'status',
  )
  const takesRetryAfter = name === 'status' && operation !== 'callback'
  const add = useAction((control, { scenario, value = '', retry_after, ...when }: Values) => {
    const match = { operation, ...(scenario && { scenario }) }
    const effect = { ...effectGiven(name, value), ...(retry_after && { retry_after: Number(retry_after) }) }
    return control.faults.add({ match, ...numbers(when), effect })
  }, 'The fault is set.')
  const given = rows[name].value
  return (
    <Form action={add} send="Set the fault">
      <div className="tiles">
        <SelectField
          label="Applies to"
          value={operation}
          choices={operations}
          onChange={next => {
            setOperation(next)
            if (!effectsOn(next).includes(name)) setName('status')
          }}
        />
        <SelectField
          label="Effect"
          value={name}
          choices={effectsOn(operation).map(value => ({ value, label: rows[value].label }))}
          onChange={setName}
        />
        {given && <TextField key={name} label={given.label} name="value" defaultValue={given.example} />}
        {takesRetryAfter && (
          <TextField label="Retry after" hint="Seconds, sent as a header. If empty, no header." name="retry_after" />
        )}
      </div>
      <div className="tiles">
        <TextField label="Times" hint="If empty, always." name="times" defaultValue={linked.times || '1'} />
        <TextField label="After" hint="The number of requests to let through first." name="after" />
        <TextField label="Probability" hint="From 0 to 1." name="probability" />
        <TextField label="Scenario" hint="Only requests with this scenario." name="scenario" />
      </div>
    </Form>
  )
}

function effectGiven(name: EffectName, value: string): NewFault['effect'] {
  const { value: given } = rows[name]
  return { [name]: given === undefined ? true : given.bounds ? Number(value) : value }
}

function numbers(texts: Values): Record<string, number> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]))
}

/** Faults by intention, each set with one click. */
export function FaultPresets() {
  return (
    <Card title="What should go wrong?">
      <ul className="presets tiles">
        {Object.entries(faultPresets).map(([name, preset]) => (
          <PresetCard key={name} preset={preset} />
        ))}
      </ul>
    </Card>
  )
}

function PresetCard({ preset }: { readonly preset: FaultPreset }) {
  const { label, about, fields, fault } = preset
  const [values, setValues] = useState(usualPresetValues)
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
            const { label, min, max } = presetFields[name]
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
          <button type="submit" className="end" {...add.button}>
            Set <span className="visually-hidden">{label}</span>
          </button>
        </div>
        <ErrorNote error={add.error} />
      </form>
    </li>
  )
}
