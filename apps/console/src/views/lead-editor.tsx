import { Suspense, useMemo, useRef } from 'react'
import type { Draft } from '../data/draft.ts'
import { syntaxErrorOf } from '../data/json.ts'
import { readBody } from '../data/submission.ts'
import { FieldIssues } from '../ui/elements.tsx'
import { lazyView } from '../ui/lazy-view.ts'
import type { useDryRun } from './dry-run.tsx'
import type { JsonEditorHandle } from './json-editor.tsx'
import { focusInput, LeadForm } from './lead-form.tsx'

/** Loaded on first use, because the library is as large as the rest of the page. */
const JsonEditor = lazyView(async () => (await import('./json-editor.tsx')).JsonEditor)

/** The parts of the editor that can be shown. */
export const editorParts = [
  { value: 'fields', label: 'Fields' },
  { value: 'both', label: 'Fields and JSON' },
] as const

/** One of them. */
export type EditorParts = (typeof editorParts)[number]['value']

/** Returns the parts shown initially at this page width. */
export function initialParts(): EditorParts {
  return matchMedia('(min-width: 760.01px)').matches ? 'both' : 'fields'
}

/** Edits a lead by its fields, its JSON, or both side by side. Both change the same text. */
export function LeadEditor(props: {
  readonly shown: EditorParts
  readonly draft: Draft
  readonly dryRun: ReturnType<typeof useDryRun>['data']
  readonly onChange: (body: string) => void
}) {
  const { shown, draft, dryRun, onChange } = props
  const editor = useRef<JsonEditorHandle>(null)
  const syntaxError = useMemo(() => syntaxErrorOf(draft.body), [draft.body])
  const { issues } = readBody(syntaxError ? undefined : dryRun?.would.body)
  const problems = useMemo(() => (syntaxError ? [syntaxError] : issues), [syntaxError, issues])
  const goTo = (field: string) => (editor.current ? editor.current.goTo(field) : focusInput(field))
  return (
    <>
      <div className={`lead-editor ${shown}`}>
        <LeadForm body={draft.body} issues={issues} onChange={onChange} />
        {shown === 'both' && (
          <div className="stack">
            <Suspense fallback={<div className="json-editor" />}>
              <JsonEditor ref={editor} label="JSON" text={draft.body} problems={problems} onChange={onChange} />
            </Suspense>
            <p className="muted wide-only">
              <kbd>Ctrl</kbd> <kbd>Space</kbd> completes, <kbd>F8</kbd> goes to the next problem, <kbd>Ctrl</kbd>{' '}
              <kbd>Enter</kbd> sends the lead.
            </p>
          </div>
        )}
      </div>
      <div className="field" aria-live="polite">
        {syntaxError && <span className="problem">{syntaxError.issue}</span>}
        <FieldIssues issues={issues} onPick={goTo} />
      </div>
    </>
  )
}
