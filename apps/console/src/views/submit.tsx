import './submit.css'
import { useEffect, useEffectEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { curlOf } from '../data/curl.ts'
import { choices, type Draft, draftOf, edited, forNextCustomer, isRepeat, requestsOfDraft } from '../data/draft.ts'
import type { LeadContext, PassingValue } from '../data/entries.ts'
import { formatWord } from '../data/format.ts'
import { writeField } from '../data/json.ts'
import { type KeptDraft, keepDraft, keptDraft } from '../data/kept-draft.ts'
import { useAction, useLeadContext, useReadOnly, useSession } from '../data/live.ts'
import { sdkCodeOf, vitestOf } from '../data/snippets.ts'
import { type Submission, submit, submitToService } from '../data/submission.ts'
import { testTenantOf } from '../data/test-tenant.ts'
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
  const wanted = params.get('lead') ?? keptDraft(context.account)?.chosen ?? initialChoice
  const isKnown = wanted === '' || choices.some(({ id }) => id === wanted)
  const chosen = isKnown ? wanted : initialChoice
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
      <SubmitForm
        key={`${context.account.tenant} ${chosen}`}
        chosen={chosen}
        context={context}
        shown={shown}
        onShow={setShown}
      />
    </>
  )
}

/** A draft, its result if it was sent unchanged, and the reason if no draft could be created. */
interface Written extends Pick<KeptDraft, 'draft' | 'submission'> {
  readonly problem?: unknown
}

function SubmitForm(props: {
  /** The choice's id, or empty. Another one starts a new form. */
  readonly chosen: string
  readonly context: LeadContext
  readonly shown: EditorParts
  readonly onShow: (shown: EditorParts) => void
}) {
  const { chosen, context, shown, onShow } = props
  const { account } = context
  const { api_key } = account.publisher
  const [written, setWritten] = useState<Written>(() => {
    const kept = keptDraft(account)
    return kept?.chosen === chosen ? kept : begin(chosen, context)
  })
  const { draft, submission, problem } = written
  useEffect(() => {
    if (problem === undefined) keepDraft(account, { chosen, draft, submission })
  }, [problem, account, chosen, draft, submission])
  const change = (body: string) => setWritten({ draft: edited(draft, body) })
  const send = useAction(async (control, sent: Draft) => {
    for (const request of sent.before) await submitToService(request, api_key)
    const tenant = testTenantOf(account, context.today.toISOString())
    return { ...(await submit(control, sent, account)), tenant }
  })
  const sendDraft = (sent: Draft) => {
    const onSuccess = (result: Submission) =>
      // Unless it was edited in the meantime.
      setWritten(now =>
        now.draft.body === sent.body
          ? { draft: { ...now.draft, sent: requestsOfDraft(sent) }, submission: result }
          : now,
      )
    send.mutate(sent, { onSuccess })
  }
  const dryRun = useDryRun(draft.body)
  const keyHidden = useReadOnly()
  const requiresToken = useSession().data?.requires_token ?? false
  const toNextCustomer = () => {
    const fresh = begin(chosen, context)
    const next = fresh.problem === undefined ? { draft: forNextCustomer(draft, fresh.draft) } : fresh
    setWritten(next)
    return next
  }
  const sendNow = () => {
    if (send.isPending) return
    if (!submission) return sendDraft(draft)
    const next = toNextCustomer()
    if (next.problem === undefined) sendDraft(next.draft)
  }
  const reaches = draft.isEdited ? undefined : draft.reaches
  const awaited = draft.needsAll ? reaches : dryRun.current?.would.body
  // A test can't expect a lost response, nor what a fault did to one.
  const isLost = submission?.cut !== undefined || submission?.garbled !== undefined || submission?.isFaulty
  const source = {
    baseUrl: account.base_url,
    apiKey: api_key,
    requests: submission ? (draft.sent ?? []) : requestsOfDraft(draft),
  }
  const response = submission ? (isLost ? undefined : submission.response?.body) : awaited
  // Nor what the tenant's other leads caused, which the test's tenant doesn't have.
  const expected = source.requests.length === 1 && isRepeat(draft, response) ? undefined : response
  useSendKey(sendNow)
  const tryWith = ({ field, value }: PassingValue) => {
    const { draft: next } = submission ? toNextCustomer() : written
    setWritten({ draft: edited(next, writeField(next.body, field, value)) })
  }
  return (
    <div className="columns wide-first submission">
      <Card title="Lead" actions={<Segments label="Edit" value={shown} options={editorParts} onChange={onShow} />}>
        <ErrorNote error={problem} />
        <LeadEditor shown={shown} draft={draft} dryRun={dryRun.data} onChange={change} />
        <OtherHeaders headers={draft.headers} />
        <div className="actions">
          {/* A double click would send two leads. */}
          <button
            type="button"
            className="primary"
            {...send.button}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={({ detail }) => detail > 1 || sendNow()}
          >
            {submission ? 'Send another customer' : 'Send the lead'}
          </button>
          {submission ? (
            <button type="button" {...send.button} onClick={() => sendDraft(draft)}>
              Send the same lead again
            </button>
          ) : (
            <button type="button" onClick={toNextCustomer}>
              New customer
            </button>
          )}
          <CopyButton denied={keyHidden} label="curl" text={() => curlOf(source)} />
          <CopyButton denied={keyHidden} label="SDK code" text={() => sdkCodeOf(source)} />
          <CopyButton
            label="vitest test"
            disabled={expected === undefined}
            text={() =>
              vitestOf(source, {
                publisher_id: account.publisher.publisher_id,
                tenant: submission?.tenant ?? testTenantOf(account, context.today.toISOString()),
                expected,
                requiresToken,
              })
            }
          />
        </div>
        <ErrorNote error={send.error} />
      </Card>
      {submission ? (
        <Decision submission={submission} onTry={tryWith} />
      ) : (
        <DryRun dryRun={dryRun} isSecond={draft.before.length > 0} body={draft.body} onTry={tryWith} />
      )}
    </div>
  )
}

/** Calls a function when Ctrl+Enter or Cmd+Enter is pressed outside a dialog. */
function useSendKey(send: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog')) return
    // Handled before the JSON editor, which would insert a line break.
    event.preventDefault()
    event.stopPropagation()
    if (!event.repeat) send()
  })
  useEffect(() => {
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [])
}

/** A request's headers that the publisher's application doesn't send on its own. */
function OtherHeaders({ headers }: Pick<Draft, 'headers'>) {
  const others = Object.entries(headers).filter(([, value]) => value !== 'application/json')
  if (others.length === 0) return null
  return (
    <p>
      Sent with{' '}
      {others.map(([name, value]) => (
        <code key={name}>{`${name}: ${value}`}</code>
      ))}
    </p>
  )
}

const initialChoice = choices[0]?.id ?? ''

function begin(id: string, { account, today }: LeadContext): Written & Pick<KeptDraft, 'draft'> {
  const choice = choices.find(each => each.id === id) ?? choices[0]
  const nothing: Draft = { before: [], headers: { 'content-type': 'application/json' }, body: '{}', needsAll: false }
  try {
    return { draft: choice ? draftOf(choice, account, today) : nothing }
  } catch (problem) {
    return { draft: nothing, problem }
  }
}

function ChoiceField({ chosen, onChoose }: { readonly chosen: string; readonly onChoose: (id: string) => void }) {
  const choice = choices.find(({ id }) => id === chosen)
  const group = (label: string, isForced: boolean) => (
    <optgroup label={label}>
      <Options
        choices={choices
          .filter(each => each.isForced === isForced)
          .map(({ id, label }) => ({ value: id, label: formatWord(label) }))}
      />
    </optgroup>
  )
  return (
    <Field label="Test lead" hint={choice?.about}>
      {ids => (
        <select {...ids} value={chosen} onChange={event => onChoose(event.target.value)}>
          {chosen === '' && <option value="">A request that was sent before</option>}
          {group('Decided by data', false)}
          {group('Forced by a scenario', true)}
        </select>
      )}
    </Field>
  )
}
