import { basePath } from '@lead-distribution/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { curlOfRequest } from '../data/curl.ts'
import type { JournalEntry } from '../data/entries.ts'
import { formatMs, formatWord } from '../data/format.ts'
import { useAccount, useJournalEntry } from '../data/live.ts'
import { requestOfEntry } from '../data/submission.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote, Fact, FieldIssues, HttpStatus, Note, OutcomeBadge, Prose, Time } from '../ui/elements.tsx'
import { TraceTable } from './lead-timeline.tsx'
import { Body, Headers } from './message.tsx'
import { Resend } from './resend.tsx'

/** Returns the id of a request. */
export const requestId = ({ request_id }: JournalEntry) => request_id

/** The outcome of a request as a sign of its own, and its reason or event. */
export function RequestOutcome({ entry: { outcome, reason, event } }: { readonly entry: JournalEntry }) {
  const detail = reason ?? event
  return (
    <>
      <OutcomeBadge word={outcome} /> {detail && formatWord(detail)}
    </>
  )
}

const senders = { console: 'The console', 'command-line': 'The command line' } as const

/** The details of a request: the deciding check, invalid fields, what other interpretations would do, and what was sent. */
export function RequestDetails({ entry }: { readonly entry: JournalEntry }) {
  const { at, check, lead_id, fault_id } = entry
  return (
    <>
      <dl className="facts">
        <Fact name="Time">
          <Time at={at} precise />
        </Fact>
        <Fact name="Result">
          <HttpStatus {...entry} /> <RequestOutcome entry={entry} /> <span className="muted">{formatMs(entry.ms)}</span>
        </Fact>
        <Fact name="Sent by">{entry.origin && senders[entry.origin]}</Fact>
        <Fact name="Decided by">{check && formatWord(check)}</Fact>
        <Fact name="Lead">{lead_id && <Link to={`../leads/${lead_id}`}>{lead_id}</Link>}</Fact>
        <Fact name="Fault">{fault_id && <Link to={`../faults?fault=${fault_id}`}>{fault_id}</Link>}</Fact>
      </dl>
      {entry.resent && (
        <Note>
          <p>The previous request's connection was cut, and the browser resent it. Both belong to one click.</p>
        </Note>
      )}
      {entry.issues && <FieldIssues issues={entry.issues} />}
      {entry.near_misses && (
        <Note tone="warn">
          {entry.near_misses.map(({ field, message }) => (
            <p key={`${field} ${message}`}>
              <Prose text={message} />
            </p>
          ))}
        </Note>
      )}
      {entry.trace && (
        <section className="stack">
          <h2>Every check, in order</h2>
          <TraceTable trace={entry.trace} />
        </section>
      )}
      {entry.warnings.map(({ switch: name, interpretation, other_interpretation, would }) => (
        <Note key={name} tone="warn">
          <p>
            Portability: <code>{name}</code> is <code>{interpretation}</code> here. A service with{' '}
            <code>{other_interpretation}</code> would {would}.
          </p>
        </Note>
      ))}
      <Content id={entry.request_id} />
    </>
  )
}

/** The request and the response as the journal keeps them. */
function Content({ id }: { readonly id: string }) {
  const { data: entry, error } = useJournalEntry(id)
  const account = useAccount()
  if (error) return <ErrorNote error={error} />
  if (!entry) return null
  const { request_headers, request_body, response_headers, response_body } = entry
  const target = `${entry.path}${entry.query === undefined ? '' : `?${entry.query}`}`
  const curl = () =>
    curlOfRequest({
      method: entry.method,
      url: `${account.base_url}${target.slice(basePath.length)}`,
      headers: request_headers ?? {},
      body: request_body?.state === 'whole' ? request_body.text : undefined,
    })
  const request = requestOfEntry(entry)
  const hasBodies = request_body !== undefined || response_body !== undefined
  return (
    <>
      <Message
        of="request"
        action={<CopyButton label="Copy as curl" small text={curl} />}
        headers={request_headers}
        body={request_body}
      >
        <pre className="framed sunken">
          {entry.method} {target}
        </pre>
      </Message>
      {request && <Resend read={async () => request} />}
      <Message of="response" action={<HttpStatus {...entry} />} headers={response_headers} body={response_body} />
      {entry.is_full === true && !request && (
        <p className="muted">
          The service didn't read the body, or the journal can't keep all of it, so this request can't be sent again,
          and a copied command has no body.
        </p>
      )}
      {entry.is_full !== true && (
        <p className="muted">
          Keys and personal data are masked as <code>***</code> before a request is kept, so it can't be sent again, and
          a copied command needs your own. A sandbox that runs on this machine alone keeps requests in full if{' '}
          <code>journal_bodies</code> is <code>full</code>.
        </p>
      )}
      {!hasBodies && entry.is_full !== true && (
        <WithoutBodies keepsBodies={account.settings.journal_bodies !== 'off'} />
      )}
    </>
  )
}

/** A request or a response as the journal keeps it. */
function Message(props: {
  readonly of: 'request' | 'response'
  readonly action: ReactNode
  readonly headers: JournalEntry['request_headers']
  readonly body: JournalEntry['request_body']
  readonly children?: ReactNode
}) {
  const { of, action, headers, body, children } = props
  return (
    <section className="stack message">
      <div className="actions ends">
        <h2>{formatWord(of)}</h2>
        {action}
      </div>
      {children}
      {headers && <Headers of={of} headers={headers} />}
      {body?.state === 'not_json' && <p className="muted">The body isn't JSON, so none of it is kept.</p>}
      {body && body.state !== 'not_json' && (
        <Body
          of={of}
          text={body.text}
          cut={body.state === 'truncated' && `The journal keeps the first ${body.text.length} characters.`}
        />
      )}
    </section>
  )
}

/** Says why a request has no bodies, and what to do. */
function WithoutBodies({ keepsBodies }: { readonly keepsBodies: boolean }) {
  if (keepsBodies)
    return <p className="muted">The journal keeps the bodies of the newest 200 requests. Those of this one are gone.</p>
  return (
    <Note>
      <p>
        This tenant keeps no bodies. Set <code>journal_bodies</code> to <code>masked</code> to keep those of its next
        requests.
      </p>
      <Link className="button small" to="../account">
        Open the settings
      </Link>
    </Note>
  )
}
