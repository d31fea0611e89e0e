import type { TenantControl } from '@lead-distribution/control-client'
import { Link } from 'react-router'
import { formatWord } from '../data/format.ts'
import { FieldIssues, HttpStatus, Note, Prose, Time } from '../ui/elements.tsx'
import { TraceTable } from './lead-timeline.tsx'

/** A call to the service, from the journal. */
export type Call = Awaited<ReturnType<TenantControl['requests']['list']>>['requests'][number]

/** Returns the id of a call. */
export const callId = ({ request_id }: Call) => request_id

/** Describes the outcome of a call. */
export function outcomeOf({ outcome, reason, event }: Call): string {
  return [outcome, reason ?? event].flatMap(word => (word ? [formatWord(word)] : [])).join(' · ')
}

/** The details of a call: the deciding check, invalid fields, and what other interpretations would do. */
export function CallDetails({ tenant, call }: { readonly tenant: string; readonly call: Call }) {
  return (
    <>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Time at={call.at} />
        </dd>
        <dt>Response</dt>
        <dd>
          <HttpStatus {...call} /> {outcomeOf(call)}
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
          <h3>Every check, in order</h3>
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
    </>
  )
}
