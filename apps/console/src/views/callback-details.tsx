import type { Callback } from '@lead-distribution/control-client'
import { Link } from 'react-router'
import { formatCountdown, formatHold, formatMs } from '../data/format.ts'
import { reachesReceiver } from '../data/lead-history.ts'
import { useClock } from '../data/live.ts'
import { Badge, Fact, HttpStatus, StatusBadge, Time } from '../ui/elements.tsx'
import { Body, Headers } from './message.tsx'

/** The details of a callback: its state, its lead, its target, its next attempt, and each attempt with its answer. */
export function CallbackDetails({ callback }: { readonly callback: Callback }) {
  const { state, held, synthetic, resent_after, next_attempt_at, event, lead_id, url, attempts } = callback
  return (
    <>
      <dl className="facts">
        <Fact name="State">
          <StatusBadge word={state} />
          {held && <Badge tone="warn">{formatHold(held)}</Badge>}
          {synthetic && <Badge tone="info">Synthetic</Badge>}
        </Fact>
        <Fact name="Next attempt">{next_attempt_at && <NextAttempt at={next_attempt_at} />}</Fact>
        <Fact name="Event">
          <code>{event}</code>
        </Fact>
        <Fact name="Lead">
          <Link to={`../leads/${lead_id}`}>{lead_id}</Link>
        </Fact>
        <Fact name="To">
          <code>GET {url}</code>
        </Fact>
      </dl>
      <Attempts attempts={attempts} resent_after={resent_after} />
    </>
  )
}

/** The time of the next attempt, and how long that is from now, on the tenant's clock. */
function NextAttempt({ at }: { readonly at: string }) {
  const { data: clock } = useClock()
  const isFrozen = clock?.mode === 'frozen'
  return (
    <>
      <Time at={at} />
      {clock && (
        <span className="muted">
          {formatCountdown(Date.parse(at) - Date.parse(clock.now))}
          {isFrozen && ' once the clock moves: it is frozen'}
        </span>
      )}
      {isFrozen && (
        <Link className="button small" to="../clock">
          Open the clock
        </Link>
      )}
    </>
  )
}

function Attempts({ attempts, resent_after }: Pick<Callback, 'attempts' | 'resent_after'>) {
  if (attempts.length === 0) return <p className="muted">Not sent yet.</p>
  return (
    <section className="stack">
      <h2>Attempts</h2>
      <ol className="attempts lined">
        {attempts.map((attempt, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows, at the end.
          <li key={place}>
            <Attempt
              number={place + 1}
              attempt={attempt}
              isLast={place === attempts.length - 1}
              isResend={place === resent_after}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Says why an attempt has no response to show. */
function withoutAnswer(attempt: Callback['attempts'][number]): string {
  if (!reachesReceiver(attempt)) return 'The fault acted in place of the receiver, which did not get the callback.'
  return attempt.status === undefined ? 'The receiver did not respond.' : 'The response is not kept.'
}

function Attempt(props: {
  readonly number: number
  readonly attempt: Callback['attempts'][number]
  readonly isLast: boolean
  /** True if somebody sent the callback again by it. */
  readonly isResend: boolean
}) {
  const { at, status, error, ms, fault_id, copies, answer } = props.attempt
  return (
    <details open={props.isLast}>
      <summary>
        <span className="actions">
          {props.number}. <Time at={at} precise />
          {props.isResend && <Badge tone="info">Sent again</Badge>}
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
          <p className="muted">{withoutAnswer(props.attempt)}</p>
        )}
      </div>
    </details>
  )
}
