import type { TenantControl } from '@lead-distribution/control-client'
import { type FaultEffectKind, faultEffects, faultEffectsOn } from '@lead-distribution/control-client/core'
import { useState } from 'react'
import { operationLabels } from '../data/format.ts'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { filled } from '../data/typed.ts'
import { ErrorNote, Field } from '../ui/elements.tsx'

type NewFault = Parameters<TenantControl['faults']['add']>[0]
type Operation = NewFault['match']['operation']
type EffectName = Exclude<keyof NewFault['effect'], 'retry_after'>

const effects: Readonly<Record<EffectName, FaultEffectKind>> = faultEffects

/** Describes the effect of a fault. */
export function effectOf({ retry_after, ...effect }: NewFault['effect']): string {
  const named = Object.entries(effect).map(([name, given]) => {
    const { label, value } = effects[name as EffectName]
    return value ? `${label} (${given}${value.unit ?? ''})` : label
  })
  return [...named, ...(retry_after === undefined ? [] : [`retry after ${retry_after} s`])].join(', ')
}

/** A form for every effect of a fault. */
export function FaultForm({ tenant }: { readonly tenant: string }) {
  const [operation, setOperation] = useState<Operation>('submitLead')
  const [name, setName] = useState<EffectName>('status')
  const [value, setValue] = useState('503')
  const [retryAfter, setRetryAfter] = useState('')
  const [when, setWhen] = useState({ times: '1', after: '', probability: '', scenario: '' })
  const add = useAction(tenant, (fault: NewFault) => sandbox.control(tenant).faults.add(fault), 'The fault is set.')
  const given = effects[name].value
  const takesRetryAfter = name === 'status' && operation !== 'callback'
  const choose = (next: EffectName) => {
    setName(next)
    setValue(effects[next].value?.example ?? '')
  }
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        const effect = { ...effectGiven(name, value), ...(takesRetryAfter && numbers({ retry_after: retryAfter })) }
        add.mutate({ ...conditionsOf(operation, when), effect })
      }}
    >
      <div className="inline-fields">
        <SelectField
          label="Applies to"
          value={operation}
          labels={operationLabels}
          onChange={next => {
            setOperation(next)
            if (!faultEffectsOn(next).includes(name)) choose('status')
          }}
        />
        <SelectField label="Effect" value={name} labels={labelsOf(faultEffectsOn(operation))} onChange={choose} />
        {given && <TextField label={given.label} value={value} onChange={setValue} />}
        {takesRetryAfter && (
          <TextField
            label="Retry after"
            hint="Seconds, sent as a header. If empty, no header."
            value={retryAfter}
            onChange={setRetryAfter}
          />
        )}
      </div>
      <div className="inline-fields">
        {conditions.map(({ field, label, hint }) => (
          <TextField
            key={field}
            label={label}
            hint={hint}
            value={when[field]}
            onChange={text => setWhen({ ...when, [field]: text })}
          />
        ))}
      </div>
      <ErrorNote error={add.error} />
      <div className="actions">
        <button type="submit" className="primary" disabled={add.isPending}>
          Set the fault
        </button>
      </div>
    </form>
  )
}

const conditions = [
  { field: 'times', label: 'Times', hint: 'If empty, always.' },
  { field: 'after', label: 'After', hint: 'The number of calls to let through first.' },
  { field: 'probability', label: 'Probability', hint: 'From 0 to 1.' },
  { field: 'scenario', label: 'Scenario', hint: 'Only calls with this scenario.' },
] as const

type When = Readonly<Record<(typeof conditions)[number]['field'], string>>

function labelsOf(names: readonly EffectName[]): Readonly<Partial<Record<EffectName, string>>> {
  return Object.fromEntries(names.map(name => [name, effects[name].label]))
}

function effectGiven(name: EffectName, value: string): NewFault['effect'] {
  const { value: given } = effects[name]
  return { [name]: given === undefined ? true : given.type === 'number' ? Number(value) : value }
}

function conditionsOf(operation: Operation, { scenario, ...when }: When): Omit<NewFault, 'effect'> {
  return { match: { operation, ...filled({ scenario }) }, ...numbers(when) }
}

/** Returns the numbers that are filled in. */
function numbers(texts: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(Object.entries(filled(texts)).map(([name, text]) => [name, Number(text)]))
}

function SelectField<Value extends string>(props: {
  readonly label: string
  readonly value: Value
  readonly labels: Readonly<Partial<Record<Value, string>>>
  readonly onChange: (value: Value) => void
}) {
  return (
    <Field label={props.label}>
      {ids => (
        <select {...ids} value={props.value} onChange={event => props.onChange(event.target.value as Value)}>
          {Object.entries<string | undefined>(props.labels).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function TextField(props: {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {ids => <input {...ids} value={props.value} onChange={event => props.onChange(event.target.value)} />}
    </Field>
  )
}
