import { loanPurposes } from '@lead-distribution/contract'
import { useRef } from 'react'
import { type Draft, locateField, parsedJson, readField, writeField } from '../data/draft.ts'
import { formatWord } from '../data/format.ts'
import { Field, FieldIssues } from '../ui/elements.tsx'
import { issuesOf, type useDryRun } from './dry-run.tsx'

/** The fields that are changed most often. The others are in the JSON. */
const fields = [
  { path: 'customer.contact.email.address', label: 'E-mail address', type: 'email' },
  { path: 'product_data.loan_amount', label: 'Loan amount (euros)', type: 'number' },
  { path: 'product_data.loan_term_months', label: 'Term (months)', type: 'number' },
  { path: 'product_data.loan_purpose', label: 'Purpose', type: 'purpose' },
] as const

/** Edits a lead: a form for common fields, and its JSON with links to invalid fields. */
export function LeadEditor(props: {
  readonly draft: Draft
  readonly dryRun: ReturnType<typeof useDryRun>['data']
  readonly onChange: (body: string) => void
}) {
  const { draft, dryRun, onChange } = props
  const editor = useRef<HTMLTextAreaElement>(null)
  const syntaxError = syntaxErrorOf(draft.body)
  const issues = syntaxError === undefined ? issuesOf(dryRun?.would.body) : []
  const goTo = (field: string) => {
    const range = locateField(draft.body, field)
    editor.current?.focus()
    if (range) editor.current?.setSelectionRange(range.start, range.end)
  }
  return (
    <>
      <div className="inline-fields">
        {fields.map(field => (
          <LeadField key={field.path} field={field} body={draft.body} onChange={onChange} />
        ))}
      </div>
      <Field label="JSON">
        {ids => (
          <textarea
            {...ids}
            ref={editor}
            rows={12}
            spellCheck={false}
            aria-invalid={syntaxError !== undefined || issues.length > 0}
            value={draft.body}
            onChange={event => onChange(event.target.value)}
          />
        )}
      </Field>
      <div className="field" aria-live="polite">
        {syntaxError && <span className="problem">This isn't valid JSON: {syntaxError}</span>}
        <FieldIssues issues={issues} onPick={goTo} />
      </div>
    </>
  )
}

function LeadField(props: {
  readonly field: (typeof fields)[number]
  readonly body: string
  readonly onChange: (body: string) => void
}) {
  const { path, label, type } = props.field
  const value = readField(props.body, path)
  const isJson = parsedJson(props.body) !== undefined
  const shown = value === undefined ? '' : String(value)
  const change = (text: string) =>
    props.onChange(writeField(props.body, path, type === 'number' && text !== '' ? Number(text) : text))
  return (
    <Field label={label}>
      {ids =>
        type === 'purpose' ? (
          <select {...ids} disabled={!isJson} value={shown} onChange={event => change(event.target.value)}>
            {!loanPurposes.some(purpose => purpose === shown) && <option value={shown}>{shown}</option>}
            {loanPurposes.map(purpose => (
              <option key={purpose} value={purpose}>
                {formatWord(purpose)}
              </option>
            ))}
          </select>
        ) : (
          <input {...ids} type={type} disabled={!isJson} value={shown} onChange={event => change(event.target.value)} />
        )
      }
    </Field>
  )
}

function syntaxErrorOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
