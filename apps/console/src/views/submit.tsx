import './submit.css'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { choices, type Draft, draftOf, edited, forNextCustomer } from '../data/draft.ts'
import type { LeadContext } from '../data/entries.ts'
import { formatWord } from '../data/format.ts'
import { useAction, useLeadContext } from '../data/live.ts'
import { curlOf, sdkCodeOf, vitestOf } from '../data/snippets.ts'
import { submit, submitToService } from '../data/submission.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card, ErrorNote, Note, PageHeader } from '../ui/elements.tsx'
import { Field, Options, Segments } from '../ui/forms.tsx'
import { Decision } from './decision.tsx'
import { DryRun, useDryRun } from './dry-run.tsx'
import { type EditorParts, editorParts, initialParts, LeadEditor } from './lead-editor.tsx'

/** Submits a lead to the real endpoint: starts from a test lead, with edits and a dry run before it is sent. */
export function Submit() {
  const [params, setParams] = useSearchParams()
  const [shown, setShown] = useState(initialParts)
  const context = useLeadContext()
  const wanted = params.get('lead') ?? initialChoice
  const isKnown = choices.some(({ id }) => id === wanted)
  const chosen = isKnown ? wanted : initialChoice
  if (!context) return null
  return (
    <>
      <PageHeader
        title="Submit"
        about="Send a lead to the service with the publisher's key, as your application does."
      />
      {!isKnown && (
        <Note tone="warn">
          <p>
            There is no test lead <code>{wanted}</code>. Choose one from the list.
          </p>
        </Note>
      )}
      <div>
        <div className="choice">
          <ChoiceField chosen={chosen} onChoose={lead => setParams({ lead }, { replace: true })} />
        </div>
      </div>
      <SubmitForm key={chosen} chosen={chosen} context={context} shown={shown} onShow={setShown} />
    </>
  )
}

function SubmitForm(props: {
  /** The id of the choice. Another one begins a new form. */
  readonly chosen: string
  readonly context: LeadContext
  readonly shown: EditorParts
  readonly onShow: (shown: EditorParts) => void
}) {
  const { chosen, context, shown, onShow } = props
  const { account } = context
  const [{ draft, problem }, setBegun] = useState(() => begin(chosen, context))
  const send = useAction(async (control, sent: Draft) => {
    for (const request of sent.before) await submitToService(request, account.publisher.api_key)
    return submit(control, sent, account)
  })
  const dryRun = useDryRun(draft.body)
  const submission = send.variables?.body === draft.body ? send.data : undefined
  const sent = submission && (submission.cut ?? submission.response?.body)
  const reaches = draft.isEdited ? undefined : draft.reaches
  const expected = sent ?? (draft.needsAll ? reaches : dryRun.current?.would.body)
  const toNextCustomer = () => {
    const fresh = begin(chosen, context)
    const next = fresh.problem === undefined ? { draft: forNextCustomer(draft, fresh.draft) } : fresh
    setBegun(next)
    return next
  }
  const sendNextCustomer = () => {
    const next = toNextCustomer()
    if (next.problem === undefined) send.mutate(next.draft)
  }
  const source = { baseUrl: account.base_url, apiKey: account.publisher.api_key, request: draft }
  return (
    <div className="columns wide-first submission">
      <Card title="Lead" actions={<Segments label="Edit" value={shown} options={editorParts} onChange={onShow} />}>
        <ErrorNote error={problem} />
        <LeadEditor
          account={account}
          shown={shown}
          draft={draft}
          dryRun={dryRun.data}
          onChange={body => setBegun({ draft: edited(draft, body) })}
        />
        <div className="actions">
          {/* The second click of a double click would send another lead. */}
          <button
            type="button"
            className="primary"
            {...send.button}
            onClick={({ detail }) => {
              if (detail > 1) return
              if (submission) sendNextCustomer()
              else send.mutate(draft)
            }}
          >
            {submission ? 'Send another customer' : 'Send the lead'}
          </button>
          {submission ? (
            <button type="button" {...send.button} onClick={() => send.mutate(draft)}>
              Send the same lead again
            </button>
          ) : (
            <button type="button" onClick={toNextCustomer}>
              New customer
            </button>
          )}
          <CopyButton label="curl" text={() => curlOf(source)} />
          <CopyButton label="SDK code" text={() => sdkCodeOf(source)} />
          <CopyButton
            label="vitest test"
            disabled={expected === undefined}
            text={() => vitestOf(source, { account, before: draft.before, expected })}
          />
        </div>
        <ErrorNote error={send.error} />
      </Card>
      {submission ? (
        <Decision submission={submission} />
      ) : (
        <DryRun dryRun={dryRun} isSecond={draft.before.length > 0} />
      )}
    </div>
  )
}

const initialChoice = choices[0]?.id ?? ''

function begin(id: string, { account, today }: LeadContext): { readonly draft: Draft; readonly problem?: unknown } {
  const choice = choices.find(each => each.id === id)
  const nothing: Draft = { before: [], headers: { 'content-type': 'application/json' }, body: '{}', needsAll: false }
  try {
    return { draft: choice ? draftOf(choice, account, today) : nothing }
  } catch (problem) {
    return { draft: nothing, problem }
  }
}

function ChoiceField({ chosen, onChoose }: { readonly chosen: string; readonly onChoose: (id: string) => void }) {
  const choice = choices.find(({ id }) => id === chosen)
  const about =
    choice && ('entry' in choice ? choice.entry.because : 'The sandbox forces this outcome, regardless of the data.')
  const group = (label: string, isForced: boolean) => (
    <optgroup label={label}>
      <Options
        choices={choices
          .filter(each => 'scenario' in each === isForced)
          .map(({ id, label }) => ({ value: id, label: formatWord(label) }))}
      />
    </optgroup>
  )
  return (
    <Field label="Test lead" hint={about}>
      {ids => (
        <select {...ids} value={chosen} onChange={event => onChoose(event.target.value)}>
          {group('Decided by data', false)}
          {group('Forced by a scenario', true)}
        </select>
      )}
    </Field>
  )
}
