import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { formatWord } from '../data/format.ts'
import { liveKey } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import type { ServiceResponse, Submission } from '../data/submission.ts'
import { Card, HttpStatus, Note, StatusBadge } from '../ui/elements.tsx'
import { issuesOf } from './dry-run.tsx'
import { TraceTable } from './lead-timeline.tsx'

/** The decision on a lead that was sent, with the way to the lead. After a lost response, also that of the first attempt. */
export function Decision({ tenant, submission }: { readonly tenant: string; readonly submission: Submission }) {
  const { response, cut } = submission
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
              {formatWord(cut.status).toLowerCase()}: <Link to={`/${tenant}/leads/${cut.lead_id}`}>{cut.email}</Link>
            </p>
          </Note>
        )}
        {response && <ResponseFacts response={response} isSecond={cut !== undefined} />}
      </output>
      <div className="actions">
        {shownLead ? (
          <Link className="button" to={`/${tenant}/leads/${shownLead}`}>
            Open the lead
          </Link>
        ) : (
          <>
            <span>No lead was created.</span>
            <Link className="button" to={`/${tenant}/calls`}>
              Open the calls
            </Link>
          </>
        )}
      </div>
      {shownLead && <Checks tenant={tenant} lead_id={shownLead} />}
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
      <p className="decision-reason">
        {isSecond && 'Second attempt: '}
        {formatWord(String(rejection_reason ?? error ?? status ?? 'The response has no status'))}
      </p>
      {typeof message === 'string' && <p>{message}</p>}
      {issues.length > 0 && <p className="muted">{issues.map(({ field }) => field).join(', ')}</p>}
    </>
  )
}

/** Every check of the decision, in order. */
function Checks({ tenant, lead_id }: { readonly tenant: string; readonly lead_id: string }) {
  const { data } = useQuery({
    queryKey: liveKey(tenant, 'lead', lead_id),
    queryFn: () => sandbox.control(tenant).leads.show(lead_id),
  })
  return data && <TraceTable trace={data.trace} />
}
