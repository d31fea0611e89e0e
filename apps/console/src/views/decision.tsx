import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { PassingValue } from '../data/entries.ts'
import { formatWord } from '../data/format.ts'
import { useLead } from '../data/live.ts'
import { readBody, type ServiceResponse, type Submission } from '../data/submission.ts'
import { Card, FieldIssues, HttpStatus, Note, StatusBadge } from '../ui/elements.tsx'
import { AdvertiserPageLink } from './advertiser-page.tsx'
import { DecidedBy, TraceTable } from './lead-timeline.tsx'

/**
 * The decision on a submitted lead, with a link to the lead. After a lost response, also the decision of the first
 * attempt.
 */
export function Decision(props: { readonly submission: Submission; readonly onTry: (passing: PassingValue) => void }) {
  const { response, cut, garbled, isResent } = props.submission
  const { lead_id, status, redirect_url } = readBody(response?.body)
  const shownLead = lead_id ?? (cut ?? garbled)?.lead_id
  const { data: lead } = useLead(shownLead ?? '')
  const shown = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response, and the check that decided it, is brought into view.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' })
  }, [response, cut, lead?.lead_id])
  return (
    <Card
      title="Decision"
      actions={
        response && (
          <>
            <HttpStatus status={response.status} />
            {status && <StatusBadge word={status} />}
          </>
        )
      }
    >
      <div className="stack decision" ref={shown}>
        <output className="stack">
          {cut && (
            <Note tone="warn">
              <p>
                The connection was cut before the response arrived
                {response ? ', and the browser sent the request again. The first attempt was ' : '. The lead was '}
                {formatWord(cut.status).toLowerCase()}: <Link to={`../leads/${cut.lead_id}`}>{cut.email}</Link>
              </p>
            </Note>
          )}
          {garbled && (
            <Note tone="warn">
              <p>
                A fault broke the JSON of the response. The lead was {formatWord(garbled.status).toLowerCase()}:{' '}
                <Link to={`../leads/${garbled.lead_id}`}>{garbled.email}</Link>
              </p>
            </Note>
          )}
          {isResent && !cut && (
            <Note tone="warn">
              <p>The connection was cut before the response arrived, and the browser sent the request again.</p>
            </Note>
          )}
          {response && <ResponseFacts response={response} isSecond={cut !== undefined} />}
          {lead && <DecidedBy decided={lead} onTry={props.onTry} />}
        </output>
        <div className="actions">
          {redirect_url && <AdvertiserPageLink url={redirect_url} />}
          {shownLead ? (
            <Link className="button" to={`../leads/${shownLead}`}>
              Open the lead
            </Link>
          ) : (
            <>
              <span>No lead was created.</span>
              <Link className="button" to="../requests">
                Open the requests
              </Link>
            </>
          )}
        </div>
      </div>
      {lead && <TraceTable trace={lead.trace} />}
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
  const { status, rejection_reason, error, message, issues } = readBody(response.body)
  return (
    <>
      <p>
        <strong>
          {isSecond && 'Second attempt: '}
          {formatWord(rejection_reason ?? error ?? status ?? 'The response has no status')}
        </strong>
      </p>
      {message && <p>{message}</p>}
      <FieldIssues issues={issues} />
    </>
  )
}
