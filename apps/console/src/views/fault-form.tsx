import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { operationLabels } from '../data/format.ts'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Card, ErrorNote, Field } from '../ui/elements.tsx'

type NewFault = Parameters<TenantControl['faults']['add']>[0]
type Operation = NewFault['match']['operation']
type EffectName = Exclude<keyof NewFault['effect'], 'retry_after'>

/** What a fault does, in words, and what it is given; the control plane decides what applies where. */
const effects: Readonly<Record<EffectName, { label: string; value?: 'number' | 'duration'; example?: string }>> = {
  status: { label: 'Answer with a status', value: 'number', example: '503' },
  latency_ms: { label: 'Answer late, milliseconds', value: 'number', example: '2000' },
  timeout: { label: 'Never answer' },
  reset: { label: 'Cut the connection, before anything is done' },
  lost_reply: { label: 'Cut the connection, after it is done' },
  malformed: { label: 'Answer with broken JSON' },
  drop: { label: 'Lose the callback' },
  delay: { label: 'Hold the callback back for a duration', value: 'duration', example: 'PT5S' },
  duplicate: { label: 'Send the callback again, more copies', value: 'number', example: '1' },
  reorder: { label: 'Send the callback after the next one' },
}

const onCallsOnly: readonly EffectName[] = ['latency_ms', 'timeout', 'reset', 'lost_reply', 'malformed']
const onCallbacksOnly: readonly EffectName[] = ['drop', 'delay', 'duplicate', 'reorder']

/** A form for every effect of a fault. */
export function FaultForm({ tenant }: { readonly tenant: string }) {
  const [operation, setOperation] = useState<Operation>('submitLead')
  const [name, setName] = useState<EffectName>('status')
  const [value, setValue] = useState('503')
  const [when, setWhen] = useState({ times: '1', after: '', probability: '', scenario: '' })
  const add = useAction(tenant, (fault: NewFault) => sandbox.control(tenant).faults.add(fault), 'The fault is set.')
  const offered = effectsOn(operation)
  const choose = (next: EffectName) => {
    setName(next)
    setValue(effects[next].example ?? '')
  }
  return (
    <Card title="New fault">
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          add.mutate(faultOf(operation, name, value, when))
        }}
      >
        <div className="inline-fields">
          <SelectField
            label="Acts on"
            value={operation}
            labels={operationLabels}
            onChange={next => {
              setOperation(next)
              if (!effectsOn(next).includes(name)) choose('status')
            }}
          />
          <SelectField label="Effect" value={name} labels={labelsOf(offered)} onChange={choose} />
          {effects[name].value && (
            <TextField
              label={effects[name].value === 'duration' ? 'Duration' : 'Value'}
              value={value}
              onChange={setValue}
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
    </Card>
  )
}

const conditions = [
  { field: 'times', label: 'Times', hint: 'Empty: always.' },
  { field: 'after', label: 'After', hint: 'How many pass first.' },
  { field: 'probability', label: 'Probability', hint: 'From 0 to 1.' },
  { field: 'scenario', label: 'Scenario', hint: 'Only calls that name it.' },
] as const

type When = Readonly<Record<(typeof conditions)[number]['field'], string>>

function effectsOn(operation: Operation): readonly EffectName[] {
  const others = operation === 'callback' ? onCallsOnly : onCallbacksOnly
  return (Object.keys(effects) as EffectName[]).filter(name => !others.includes(name))
}

function labelsOf(names: readonly EffectName[]): Readonly<Partial<Record<EffectName, string>>> {
  return Object.fromEntries(names.map(name => [name, effects[name].label]))
}

function faultOf(operation: Operation, name: EffectName, value: string, when: When): NewFault {
  const kind = effects[name].value
  const given = kind === undefined ? true : kind === 'number' ? Number(value) : value
  return {
    match: { operation, ...(when.scenario !== '' && { scenario: when.scenario }) },
    effect: { [name]: given },
    ...(when.times !== '' && { times: Number(when.times) }),
    ...(when.after !== '' && { after: Number(when.after) }),
    ...(when.probability !== '' && { probability: Number(when.probability) }),
  }
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
