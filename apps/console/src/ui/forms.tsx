import { type ComponentProps, type ReactNode, useId } from 'react'
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
}

/** A labeled input. `children` creates the input with the id that the label refers to. */
export function Field(
  props: Labeled & { readonly children: (ids: { id: string; 'aria-describedby'?: string }) => ReactNode },
) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children({ id, ...(props.hint && { 'aria-describedby': hintId }) })}
      {props.hint && (
        <span className="hint" id={hintId}>
          <Prose text={props.hint} />
        </span>
      )}
    </div>
  )
}

/** A labeled input of one line, with a button beside it if it has `children`. */
export function TextField({ label, hint, children, ...input }: Labeled & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint}>
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
  const { label, hint, choices, onChange, ...select } = props
  return (
    <Field label={label} hint={hint}>
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
