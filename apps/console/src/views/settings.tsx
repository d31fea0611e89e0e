import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { formatWord } from '../data/format.ts'
import { useAction } from '../data/live.ts'
import { readControlDocument, sandbox } from '../data/sandbox.ts'
import { type SettingInput, settingInputs, settingText, settingValue } from '../data/settings-form.ts'
import { Card, ErrorNote, Field } from '../ui/elements.tsx'

type Account = Awaited<ReturnType<TenantControl['show']>>

/** The interpretation of open points, and what simulated advertisers report on their own. */
export function SettingsForm({ tenant, account }: { readonly tenant: string; readonly account: Account }) {
  const { data: document, error } = useQuery({
    queryKey: ['control-document'],
    queryFn: readControlDocument,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const inputs = useMemo(() => settingInputs(document), [document])
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const settings: Readonly<Record<string, unknown>> = account.settings
  const save = useAction(
    tenant,
    async () => {
      const change = inputs
        .filter(({ name }) => name in changed)
        .map(input => [input.name, settingValue(input, changed[input.name] ?? '')])
      await sandbox.control(tenant).update({ settings: Object.fromEntries(change) })
      setChanged({})
    },
    'The settings are saved.',
  )
  return (
    <Card title="Settings">
      <p className="muted">
        Each setting selects the interpretation of an open point of the specification. Settings that you don't change
        follow the profile.
      </p>
      <ErrorNote error={error} />
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <div className="settings-fields">
          {inputs.map(input => (
            <SettingField
              key={input.name}
              input={input}
              text={changed[input.name] ?? settingText(settings[input.name])}
              onChange={text => setChanged({ ...changed, [input.name]: text })}
            />
          ))}
        </div>
        <ErrorNote error={save.error} />
        <div className="actions">
          <button type="submit" className="primary" disabled={Object.keys(changed).length === 0 || save.isPending}>
            Save the settings
          </button>
        </div>
      </form>
    </Card>
  )
}

function SettingField(props: {
  readonly input: SettingInput
  readonly text: string
  readonly onChange: (text: string) => void
}) {
  const { input, text, onChange } = props
  return (
    <Field
      label={formatWord(input.name)}
      hint={[input.reason, input.kind === 'json' ? 'As JSON.' : ''].filter(Boolean).join(' ')}
    >
      {ids =>
        input.kind === 'choice' ? (
          <select {...ids} value={text} onChange={event => onChange(event.target.value)}>
            {input.values.map(value => (
              <option key={value} value={value}>
                {value}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...ids}
            className={input.kind === 'json' ? 'mono' : ''}
            value={text}
            onChange={event => onChange(event.target.value)}
          />
        )
      }
    </Field>
  )
}
