import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { formatWord } from '../data/format.ts'
import { useLead } from '../data/live.ts'
import type { ServiceResponse, Submission } from '../data/submission.ts'
import { Card, HttpStatus, Note, StatusBadge } from '../ui/elements.tsx'
import { issuesOf } from './dry-run.tsx'
import { TraceTable } from './lead-timeline.tsx'

/** The decision on a lead that was sent, with the way to the lead. After a lost response, also that of the first attempt. */
export function Decision({ submission }: { readonly submission: Submission }) {
  const { response, cut, isResent } = submission
  const { lead_id, status } = Object(response?.body)
  const shownLead = typeof lead_id === 'string' ? lead_id : cut?.lead_id
  const shown = useRef<HTMLOutputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response is brought into view.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' })
  }, [submission])
  return (
    <Card
      title="Decision"
      actions={
        response && (
          <>
            <HttpStatus status={response.status} />
            {typeof status === 'string' && <StatusBadge word={status} />}
          </>
        )
      }
    >
      <output className="stack" ref={shown}>
        {cut && (
          <Note tone="warn">
            <p>
              The connection was cut before the response arrived
              {response ? ', and the browser sent the request again. The first attempt was ' : '. The lead was '}
              {formatWord(cut.status).toLowerCase()}: <Link to={`../leads/${cut.lead_id}`}>{cut.email}</Link>
            </p>
          </Note>
        )}
        {isResent && !cut && (
          <Note tone="warn">
            <p>The connection was cut before the response arrived, and the browser sent the request again.</p>
          </Note>
        )}
        {response && <ResponseFacts response={response} isSecond={cut !== undefined} />}
      </output>
      <div className="actions">
        {shownLead ? (
          <Link className="button" to={`../leads/${shownLead}`}>
            Open the lead
          </Link>
        ) : (
          <>
            <span>No lead was created.</span>
            <Link className="button" to="../calls">
              Open the calls
            </Link>
          </>
        )}
      </div>
      {shownLead && <Checks lead_id={shownLead} />}
      {response && (
        <details>
          <summary>Response body</summary>
          <pre>{JSON.stringify(response.body, null, 2)}</pre>
        </details>
      )}
    </Card>
  )
}

function ResponseFacts({ response, isSecond }: { readonly response: ServiceResponse; readonly isSecond: boolean }) {
  const { status, rejection_reason, error, message } = Object(response.body)
  const issues = issuesOf(response.body)
  return (
    <>
      <p>
        <strong>
          {isSecond && 'Second attempt: '}
          {formatWord(String(rejection_reason ?? error ?? status ?? 'The response has no status'))}
        </strong>
      </p>
      {typeof message === 'string' && <p>{message}</p>}
      {issues.length > 0 && <p className="muted">{issues.map(({ field }) => field).join(', ')}</p>}
    </>
  )
}

/** Every check of the decision, in order. */
function Checks({ lead_id }: { readonly lead_id: string }) {
  const { data } = useLead(lead_id)
  return data && <TraceTable trace={data.trace} />
}
