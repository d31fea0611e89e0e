import { useState } from 'react'
import { Field } from '../ui/elements.tsx'

/** Edits a value as JSON. */
export function JsonForm(props: {
  readonly value: unknown
  readonly onSave: (value: unknown) => void
  readonly onCancel: () => void
}) {
  const [text, setText] = useState(() => JSON.stringify(props.value, null, 2))
  const [problem, setProblem] = useState<string>()
  const save = () => {
    try {
      const value: unknown = JSON.parse(text)
      setProblem(undefined)
      props.onSave(value)
    } catch (error) {
      setProblem(`This isn't valid JSON: ${(error as Error).message}`)
    }
  }
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        save()
      }}
    >
      <Field label="JSON" hint={problem}>
        {ids => (
          <textarea
            {...ids}
            rows={18}
            spellCheck={false}
            aria-invalid={problem !== undefined}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="actions">
        <button type="button" onClick={props.onCancel}>
          Cancel
        </button>
        <button type="submit" className="primary">
          Save
        </button>
      </div>
    </form>
  )
}
