import { basePath } from '@lead-distribution/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { curlOfCall } from '../data/curl.ts'
import type { Call } from '../data/entries.ts'
import { formatMs, formatWord } from '../data/format.ts'
import { useAccount, useCall } from '../data/live.ts'
import { requestOfCall } from '../data/submission.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote, Fact, FieldIssues, HttpStatus, Note, OutcomeBadge, Prose, Time } from '../ui/elements.tsx'
import { TraceTable } from './lead-timeline.tsx'
import { Body, Headers } from './message.tsx'
import { Resend } from './resend.tsx'

/** Returns the id of a call. */
export const callId = ({ request_id }: Call) => request_id

/** The outcome of a call as a sign of its own, and its reason or event. */
export function CallOutcome({ call: { outcome, reason, event } }: { readonly call: Call }) {
  const detail = reason ?? event
  return (
    <>
      <OutcomeBadge word={outcome} /> {detail && formatWord(detail)}
    </>
  )
}

const senders = { console: 'The console', 'command-line': 'The command line' } as const

/** The details of a call: the deciding check, invalid fields, what other interpretations would do, and what was sent. */
export function CallDetails({ call }: { readonly call: Call }) {
  const { at, check, lead_id, fault_id } = call
  return (
    <>
      <dl className="facts">
        <Fact name="Time">
          <Time at={at} precise />
        </Fact>
        <Fact name="Result">
          <HttpStatus {...call} /> <CallOutcome call={call} /> <span className="muted">{formatMs(call.ms)}</span>
        </Fact>
        <Fact name="Sent by">{call.origin && senders[call.origin]}</Fact>
        <Fact name="Decided by">{check && formatWord(check)}</Fact>
        <Fact name="Lead">{lead_id && <Link to={`../leads/${lead_id}`}>{lead_id}</Link>}</Fact>
        <Fact name="Fault">{fault_id && <Link to={`../faults?fault=${fault_id}`}>{fault_id}</Link>}</Fact>
      </dl>
      {call.resent && (
        <Note>
          <p>The connection of the call before was cut, and the browser sent it again by itself. Both are one click.</p>
        </Note>
      )}
      {call.issues && <FieldIssues issues={call.issues} />}
      {call.near_misses && (
        <Note tone="warn">
          {call.near_misses.map(({ field, message }) => (
            <p key={`${field} ${message}`}>
              <Prose text={message} />
            </p>
          ))}
        </Note>
      )}
      {call.trace && (
        <section className="stack">
          <h2>Every check, in order</h2>
          <TraceTable trace={call.trace} />
        </section>
      )}
      {call.warnings.map(({ switch: name, interpretation, other_interpretation, would }) => (
        <Note key={name} tone="warn">
          <p>
            Portability: <code>{name}</code> is <code>{interpretation}</code> here. A service with{' '}
            <code>{other_interpretation}</code> would {would}.
          </p>
        </Note>
      ))}
      <Content id={call.request_id} />
    </>
  )
}

/** The request and the response as the journal keeps them. */
function Content({ id }: { readonly id: string }) {
  const { data: call, error } = useCall(id)
  const { data: account } = useAccount()
  if (error) return <ErrorNote error={error} />
  if (!call || !account) return null
  const { request_headers, request_body, response_headers, response_body } = call
  const target = `${call.path}${call.query === undefined ? '' : `?${call.query}`}`
  const curl = () =>
    curlOfCall({
      method: call.method,
      url: `${account.base_url}${target.slice(basePath.length)}`,
      headers: request_headers ?? {},
      body: request_body?.state === 'whole' ? request_body.text : undefined,
    })
  const request = requestOfCall(call)
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
          {call.method} {target}
        </pre>
      </Message>
      {request && <Resend read={async () => request} />}
      <Message of="response" action={<HttpStatus {...call} />} headers={response_headers} body={response_body} />
      {call.is_full === true && !request && (
        <p className="muted">
          The service didn't read the body, or it is longer than the journal keeps, so this call can't be sent again.
        </p>
      )}
      {call.is_full !== true && (
        <p className="muted">
          Keys and personal data are masked as <code>***</code> before a call is kept, so it can't be sent again, and a
          copied command needs your own. A sandbox that runs on this machine alone keeps calls in full if{' '}
          <code>journal_bodies</code> is <code>full</code>.
        </p>
      )}
      {!hasBodies && call.is_full !== true && <WithoutBodies keepsBodies={account.settings.journal_bodies !== 'off'} />}
    </>
  )
}

/** A request or a response as the journal keeps it. */
function Message(props: {
  readonly of: 'request' | 'response'
  readonly action: ReactNode
  readonly headers: Call['request_headers']
  readonly body: Call['request_body']
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

/** Says why a call has no bodies, and what to do. */
function WithoutBodies({ keepsBodies }: { readonly keepsBodies: boolean }) {
  if (keepsBodies)
    return <p className="muted">The journal keeps the bodies of the newest 200 calls. Those of this one are gone.</p>
  return (
    <Note>
      <p>
        This tenant keeps no bodies. Set <code>journal_bodies</code> to <code>masked</code> to keep those of its next
        calls.
      </p>
      <Link className="button small" to="../account">
        Open the settings
      </Link>
    </Note>
  )
}
