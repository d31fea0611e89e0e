import { type AriaAttributes, type ComponentProps, type ReactNode, useId } from 'react'
import { filled, type Values } from '../data/input-values.ts'
import { ErrorNote, Prose } from './elements.tsx'

/**
 * A form that sends the values of its inputs. Its error is shown above its buttons. `onDone` is called with the form if the
 * action succeeds.
 */
export function Form(props: {
  readonly action: {
    mutate(values: Values, options: { onSuccess: () => void }): void
    readonly isPending: boolean
    readonly error: unknown
    readonly button?: { readonly disabled: boolean; readonly title: string | undefined }
  }
  /** The label of the submit button. Without it, the button is one of the children. */
  readonly send?: ReactNode
  readonly onDone?: (form: HTMLFormElement) => void
  /** Content before the submit button, and after it. */
  readonly before?: ReactNode
  readonly after?: ReactNode
  readonly isDanger?: boolean
  readonly disabled?: boolean
  readonly children: ReactNode
}) {
  const { action, send, onDone, before, after, isDanger, disabled, children } = props
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        const form = event.currentTarget
        action.mutate(filled(Object.fromEntries(new FormData(form))), { onSuccess: () => onDone?.(form) })
      }}
    >
      {children}
      <ErrorNote error={action.error} />
      {send && (
        <div className="actions">
          {before}
          <button
            type="submit"
            className={isDanger ? 'danger' : 'primary'}
            {...action.button}
            disabled={disabled || action.isPending || action.button?.disabled}
          >
            {send}
          </button>
          {after}
        </div>
      )}
    </form>
  )
}

interface Labeled {
  readonly label: string
  readonly hint?: string | undefined
  readonly issue?: string | undefined
  readonly unit?: string | undefined
  /** True if the label is only for screen readers. */
  readonly isBare?: boolean | undefined
}

/** A labeled input, with its unit, issue and hint. `children` creates the input with the id that the label refers to. */
export function Field(props: Labeled & { readonly children: (ids: AriaAttributes & { id: string }) => ReactNode }) {
  const { label, hint, issue, unit, isBare, children } = props
  const id = useId()
  const ids = {
    id,
    'aria-describedby': hint || issue ? `${id}-notes` : undefined,
    'aria-invalid': issue ? true : undefined,
  }
  return (
    <div className="field">
      <label htmlFor={id} className={isBare ? 'visually-hidden' : undefined}>
        {label}
        {unit && <span className="visually-hidden">, {unit}</span>}
      </label>
      {unit ? (
        <div className="line">
          {children(ids)}
          <span className="muted" aria-hidden="true">
            {unit}
          </span>
        </div>
      ) : (
        children(ids)
      )}
      <Notes id={`${id}-notes`} hint={hint} issue={issue} />
    </div>
  )
}

/** The issue and the hint of an input, if it has any. */
export function Notes({ id, hint, issue }: Pick<Labeled, 'hint' | 'issue'> & { readonly id: string }) {
  if (!hint && !issue) return null
  return (
    <div id={id}>
      {issue && (
        <p className="problem">
          <Prose text={`${issue.charAt(0).toUpperCase()}${issue.slice(1)}.`} />
        </p>
      )}
      {hint && (
        <p className="hint">
          <Prose text={hint} />
        </p>
      )}
    </div>
  )
}

/** A labeled input of one line, with a button beside it if it has `children`. */
export function TextField(props: Labeled & ComponentProps<'input'>) {
  const { label, hint, issue, unit, isBare, children, ...input } = props
  return (
    <Field label={label} hint={hint} issue={issue} unit={unit} isBare={isBare}>
      {ids =>
        children ? (
          <div className="actions">
            <input {...ids} className="grow" {...input} />
            {children}
          </div>
        ) : (
          <input {...ids} {...input} />
        )
      }
    </Field>
  )
}

/** An entry of a list of choices. */
export interface Choice<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

/** A labeled list of choices. */
export function SelectField<Value extends string>(
  props: Labeled &
    Omit<ComponentProps<'select'>, 'onChange'> & {
      readonly choices: readonly Choice<Value>[]
      readonly onChange?: (value: Value) => void
    },
) {
  const { label, hint, issue, unit, isBare, choices, onChange, ...select } = props
  return (
    <Field label={label} hint={hint} issue={issue} unit={unit} isBare={isBare}>
      {ids => (
        <select {...ids} {...select} onChange={event => onChange?.(event.target.value as Value)}>
          <Options choices={choices} />
        </select>
      )}
    </Field>
  )
}

/** The choices of a list. */
export function Options({ choices }: { readonly choices: readonly Choice[] }) {
  return choices.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))
}

/** A row of buttons, one of which is pressed. */
export function Segments<Value extends string>(props: {
  readonly label: string
  readonly value: Value
  readonly options: readonly Choice<Value>[]
  readonly onChange: (value: Value) => void
}) {
  return (
    <fieldset className="segments" aria-label={props.label}>
      {props.options.map(({ value, label }) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  )
}
