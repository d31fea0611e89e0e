import { useEffect, useRef, useState } from 'react'
import { Link, useParams } from 'react-router'
import { choices, type Draft, draftOf } from '../data/draft.ts'
import { formatWord } from '../data/format.ts'
import { useAccount, useAction, useClock } from '../data/live.ts'
import { curlOf, sdkCodeOf, vitestOf } from '../data/snippets.ts'
import { type ServiceResponse, type Submission, submit, submitToService } from '../data/submission.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { Card, ErrorNote, Field, HttpStatus, Note, PageHeader, StatusBadge } from '../ui/elements.tsx'
import { DryRun, useDryRun } from './dry-run.tsx'
import { LeadEditor } from './lead-editor.tsx'

type Account = NonNullable<ReturnType<typeof useAccount>['data']>

/** Submits a lead to the real endpoint: starts from a test lead, with edits and a dry run before it is sent. */
export function Submit() {
  const { tenant = '' } = useParams()
  const { data: account } = useAccount(tenant)
  const { data: clock } = useClock(tenant)
  if (!account || !clock) return null
  return <SubmitForm tenant={tenant} account={account} today={new Date(clock.now)} />
}

function SubmitForm(props: { readonly tenant: string; readonly account: Account; readonly today: Date }) {
  const { tenant, account, today } = props
  const [chosen, setChosen] = useState(initialChoice)
  const [{ draft, problem }, setBegun] = useState(() => begin(chosen, account, today))
  const api_key = account.publisher.api_key
  const send = useAction(tenant, async (sent: Draft) => {
    for (const request of sent.before) await submitToService(request, api_key)
    return submit(tenant, sent, api_key)
  })
  const dryRun = useDryRun(tenant, draft.body)
  const isSent = send.data !== undefined && send.variables === draft
  const sent = isSent ? (send.data.cut ?? send.data.response?.body) : undefined
  const expected = sent ?? (draft.needsAll ? draft.reaches : dryRun.current?.would.body)
  const choose = (id: string) => {
    setChosen(id)
    setBegun(begin(id, account, today))
    send.reset()
  }
  const source = { baseUrl: account.base_url, apiKey: api_key, request: draft }
  return (
    <>
      <PageHeader
        title="Submit"
        about="Send a lead to the service with the publisher's key, as your application does."
      />
      <div className="columns">
        <Card title="Lead">
          <ChoiceField chosen={chosen} onChoose={choose} />
          <ErrorNote error={problem} />
          <LeadEditor
            draft={draft}
            dryRun={dryRun.data}
            onChange={body => setBegun({ draft: { ...draft, body, reaches: undefined } })}
          />
          <div className="actions">
            <button type="button" className="primary" disabled={send.isPending} onClick={() => send.mutate(draft)}>
              Send the lead
            </button>
            <button type="button" onClick={() => choose(chosen)}>
              New customer
            </button>
            <CopyButton label="curl" text={() => curlOf(source)} />
            <CopyButton label="SDK code" text={() => sdkCodeOf(source)} />
            <CopyButton
              label="vitest test"
              disabled={expected === undefined}
              text={() => vitestOf(source, { account, before: draft.before, expected })}
            />
          </div>
          <ErrorNote error={send.error} />
          {send.data && <Result tenant={tenant} submission={send.data} />}
        </Card>
        <DryRun
          dryRun={dryRun}
          isSecond={draft.before.length > 0}
          isSent={send.data !== undefined && send.variables.body === draft.body}
        />
      </div>
    </>
  )
}

const initialChoice = choices[0]?.id ?? ''

function begin(id: string, account: Account, today: Date) {
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
      {choices
        .filter(each => 'scenario' in each === isForced)
        .map(({ id, label }) => (
          <option key={id} value={id}>
            {formatWord(label)}
          </option>
        ))}
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

/** The service's response, with a link to the reason. If the request was sent twice, also the result of the first attempt. */
function Result({ tenant, submission }: { readonly tenant: string; readonly submission: Submission }) {
  const { response, cut } = submission
  const { status } = Object(response?.body)
  const isGood = status === 'distributed' || status === 'new'
  const shown = useRef<HTMLOutputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response is brought into view.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' })
  }, [submission])
  return (
    <output ref={shown}>
      <Note tone={isGood && !cut ? 'good' : 'warn'}>
        {cut && (
          <p>
            The connection was cut before the response arrived
            {response ? ', and the browser sent the request again. The first attempt was ' : '. The lead was '}
            {formatWord(cut.status).toLowerCase()}: <Link to={`/${tenant}/leads/${cut.lead_id}`}>{cut.email}</Link>
          </p>
        )}
        {response && <ResponseFacts tenant={tenant} response={response} isSecond={cut !== undefined} />}
      </Note>
    </output>
  )
}

function ResponseFacts(props: {
  readonly tenant: string
  readonly response: ServiceResponse
  /** True for a second attempt. */
  readonly isSecond: boolean
}) {
  const { tenant, response, isSecond } = props
  const { lead_id, status, rejection_reason, error, message } = Object(response.body)
  return (
    <>
      <div className="actions">
        {isSecond && 'Second attempt:'}
        <HttpStatus status={response.status} />
        {typeof status === 'string' && <StatusBadge word={status} />}
        <strong>{formatWord(String(rejection_reason ?? error ?? ''))}</strong>
      </div>
      {typeof message === 'string' && <p>{message}</p>}
      {typeof lead_id === 'string' ? (
        <Link to={`/${tenant}/leads/${lead_id}`}>See why and what happens next</Link>
      ) : (
        <Link to={`/${tenant}/calls`}>No lead was created. See the calls</Link>
      )}
      <details>
        <summary>Response body</summary>
        <pre>{JSON.stringify(response.body, null, 2)}</pre>
      </details>
    </>
  )
}
