import type { Callback } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { formatCountdown, formatHold, formatMs } from '../data/format.ts'
import { liveKey, useClock } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, ErrorNote, HttpStatus, StatusBadge, Time } from '../ui/elements.tsx'
import { Body, Headers } from './message.tsx'

/** The details of a callback: its state, its lead, its target, its next attempt, and each attempt with its answer. */
export function CallbackDetails({ tenant, callback }: { readonly tenant: string; readonly callback: Callback }) {
  const { callback_id } = callback
  // A list has no answers.
  const { data: shown = callback, error } = useQuery({
    queryKey: liveKey(tenant, 'callbacks', callback_id),
    queryFn: () => sandbox.control(tenant).callbacks.show(callback_id),
  })
  return (
    <>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StatusBadge word={shown.state} />
          {shown.held && <Badge tone="warn">{formatHold(shown.held)}</Badge>}
          {shown.synthetic && <Badge tone="info">Synthetic</Badge>}
        </dd>
        {shown.next_attempt_at && <NextAttempt tenant={tenant} at={shown.next_attempt_at} />}
        <dt>Event</dt>
        <dd>
          <code>{shown.event}</code>
        </dd>
        <dt>Lead</dt>
        <dd>
          <Link to={`/${tenant}/leads/${shown.lead_id}`}>{shown.lead_id}</Link>
        </dd>
        <dt>To</dt>
        <dd>
          <code>GET {shown.url}</code>
        </dd>
      </dl>
      <ErrorNote error={error} />
      <Attempts attempts={shown.attempts} />
    </>
  )
}

/** The time of the next attempt, and how long that is from now, on the tenant's clock. */
function NextAttempt({ tenant, at }: { readonly tenant: string; readonly at: string }) {
  const { data: clock } = useClock(tenant)
  return (
    <>
      <dt>Next attempt</dt>
      <dd>
        <Time at={at} />
        {clock && (
          <span className="muted">
            {formatCountdown(Date.parse(at) - Date.parse(clock.now))}
            {clock.mode === 'frozen' && ' once the clock moves: it is frozen'}
          </span>
        )}
        {clock?.mode === 'frozen' && (
          <Link className="button small" to={`/${tenant}/clock`}>
            Open the clock
          </Link>
        )}
      </dd>
    </>
  )
}

function Attempts({ attempts }: Pick<Callback, 'attempts'>) {
  if (attempts.length === 0) return <p className="muted">Not sent yet.</p>
  return (
    <section className="stack">
      <h2>Attempts</h2>
      <ol className="attempts">
        {attempts.map((attempt, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows, at the end.
          <li key={place}>
            <Attempt number={place + 1} attempt={attempt} isLast={place === attempts.length - 1} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Attempt(props: {
  readonly number: number
  readonly attempt: Callback['attempts'][number]
  readonly isLast: boolean
}) {
  const { at, status, error, ms, fault_id, copies, answer } = props.attempt
  return (
    <details open={props.isLast}>
      <summary>
        <span>
          {props.number}. <Time at={at} />
          {status !== undefined && <HttpStatus status={status} />}
          {error}
          {fault_id && <Badge tone="info">Fault</Badge>}
          <span className="muted">{formatMs(ms)}</span>
        </span>
      </summary>
      <div className="stack message">
        {copies !== undefined && copies > 0 && (
          <p>Sent {copies + 1} times by a fault. The answer is that to the first one.</p>
        )}
        {answer ? (
          <>
            <Headers of={`response to attempt ${props.number}`} headers={answer.headers} />
            <Body
              of={`response to attempt ${props.number}`}
              text={answer.text}
              cut={
                answer.truncated && 'The rest of the response is not kept: only the first 2 KiB that arrive in time.'
              }
            />
          </>
        ) : (
          <p className="muted">
            {status === undefined ? 'The receiver did not respond.' : 'The response is not kept.'}
          </p>
        )}
      </div>
    </details>
  )
}
