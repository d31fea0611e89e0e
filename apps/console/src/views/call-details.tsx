import { basePath } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { formatMs, formatWord } from '../data/format.ts'
import { liveKey, useAccount } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { curlOfCall } from '../data/snippets.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { ErrorNote, FieldIssues, HttpStatus, Note, Prose, Time } from '../ui/elements.tsx'
import { TraceTable } from './lead-timeline.tsx'
import { Body, Headers } from './message.tsx'

/** A call to the service, from the journal. */
export type Call = Awaited<ReturnType<TenantControl['requests']['list']>>['requests'][number]

/** Returns the id of a call. */
export const callId = ({ request_id }: Call) => request_id

/** Describes the outcome of a call. */
export function outcomeOf({ outcome, reason, event }: Call): string {
  return [outcome, reason ?? event].flatMap(word => (word ? [formatWord(word)] : [])).join(' · ')
}

/** The details of a call: the deciding check, invalid fields, what other interpretations would do, and what was sent. */
export function CallDetails({ tenant, call }: { readonly tenant: string; readonly call: Call }) {
  return (
    <>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Time at={call.at} />
        </dd>
        <dt>Result</dt>
        <dd>
          <HttpStatus {...call} /> {outcomeOf(call)} <span className="muted">{formatMs(call.ms)}</span>
        </dd>
        {call.check && (
          <>
            <dt>Decided by</dt>
            <dd>{formatWord(call.check)}</dd>
          </>
        )}
        {call.lead_id && (
          <>
            <dt>Lead</dt>
            <dd>
              <Link to={`/${tenant}/leads/${call.lead_id}`}>{call.lead_id}</Link>
            </dd>
          </>
        )}
        {call.fault_id && (
          <>
            <dt>Fault</dt>
            <dd>
              <Link to={`/${tenant}/faults?fault=${call.fault_id}`}>{call.fault_id}</Link>
            </dd>
          </>
        )}
      </dl>
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
      <Content tenant={tenant} id={call.request_id} />
    </>
  )
}

/** The request and the response as the journal keeps them. */
function Content({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const { data: call, error } = useQuery({
    queryKey: liveKey(tenant, 'call', id),
    queryFn: () => sandbox.control(tenant).requests.show(id),
  })
  const { data: account } = useAccount(tenant)
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
  const hasBodies = request_body !== undefined || response_body !== undefined
  return (
    <>
      <section className="stack message">
        <div className="body-head">
          <h2>Request</h2>
          <CopyButton label="Copy as curl" small text={curl} />
        </div>
        <pre>
          {call.method} {target}
        </pre>
        {request_headers && <Headers of="request" headers={request_headers} />}
        {request_body && <KeptBody of="request" body={request_body} />}
      </section>
      <section className="stack message">
        <div className="body-head">
          <h2>Response</h2>
          <HttpStatus {...call} />
        </div>
        {response_headers && <Headers of="response" headers={response_headers} />}
        {response_body && <KeptBody of="response" body={response_body} />}
      </section>
      <p className="muted">
        Keys and personal data are masked as <code>***</code> before a call is kept, so a copied command needs your own.
      </p>
      {!hasBodies && <WithoutBodies tenant={tenant} keepsBodies={account.settings.journal_bodies === 'masked'} />}
    </>
  )
}

type Kept = NonNullable<Call['request_body']>

function KeptBody({ of, body: { state, text } }: { readonly of: string; readonly body: Kept }) {
  if (state === 'not_json') return <p className="muted">The body isn't JSON, so none of it is kept.</p>
  return (
    <Body of={of} text={text} cut={state === 'truncated' && `The journal keeps the first ${text.length} characters.`} />
  )
}

/** Says why a call has no bodies, and what to do. */
function WithoutBodies({ tenant, keepsBodies }: { readonly tenant: string; readonly keepsBodies: boolean }) {
  if (keepsBodies)
    return <p className="muted">The journal keeps the bodies of the newest 200 calls. Those of this one are gone.</p>
  return (
    <Note>
      <p>
        This tenant keeps no bodies. Set <code>journal_bodies</code> to <code>masked</code> to keep those of its next
        calls.
      </p>
      <Link className="button small" to={`/${tenant}/account`}>
        Open the settings
      </Link>
    </Note>
  )
}
