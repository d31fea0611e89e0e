import type { Callback } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link } from 'react-router'
import { curlOfCallback } from '../data/curl.ts'
import { formatCount, formatCountdown, formatHold, formatMs } from '../data/format.ts'
import { reachesReceiver } from '../data/lead-history.ts'
import { useAccount, useClock, useRead, useReadOnly } from '../data/live.ts'
import { ActionButton, FormModal } from '../ui/actions.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Badge, Fact, HttpStatus, StatusBadge, Time } from '../ui/elements.tsx'
import { SelectField, TextField } from '../ui/forms.tsx'
import { toast } from '../ui/toasts.tsx'
import { Body, Headers } from './message.tsx'

/** Reads a callback. The list has it without the responses to its attempts. */
export const useCallback = (id: string, known: Callback | undefined) =>
  useRead(['callbacks', 'one', id], control => control.callbacks.show(id), { placeholderData: () => known })

/** Sends a callback again, unchanged or changed, and copies it as code. */
export function CallbackActions({ callback }: { readonly callback: Callback }) {
  const { callback_id, url } = callback
  const [isCopying, setCopying] = useState(false)
  return (
    <>
      <ActionButton
        className="primary"
        act={async control => toast(resendResult(await control.callbacks.resend(callback_id)))}
      >
        Send again
      </ActionButton>
      <button type="button" onClick={() => setCopying(true)}>
        Send a changed copy
      </button>
      <CopyButton denied={useReadOnly()} label="Copy as curl" text={() => curlOfCallback(url)} />
      {isCopying && <SyntheticCallback callback={callback} onClose={() => setCopying(false)} />}
    </>
  )
}

/** Says what sending a callback again led to. A fault may have dropped it or held it. */
function resendResult({ attempts, resent_after, held }: Callback): string {
  const attempt = resent_after === undefined ? undefined : attempts[resent_after]
  if (!attempt) return `Not sent yet. ${held ? `${formatHold(held)}.` : 'It is due now.'}`
  return reachesReceiver(attempt) ? 'Sent again.' : `Not sent: ${attempt.error ?? 'a fault responded in its place'}.`
}

const signatures = [
  { value: 'valid', label: 'Valid' },
  { value: 'wrong', label: 'Wrong' },
]

/** The form that sends a changed copy of a callback. */
function SyntheticCallback(props: { readonly callback: Callback; readonly onClose: () => void }) {
  const { lead_id, event } = props.callback
  const isSigned = useAccount().settings.callback_signature !== 'none'
  return (
    <FormModal
      title="Send a changed copy"
      about="It is marked as synthetic, tried once, and changes no other callback."
      send="Send the copy"
      act={async (control, { changed = '', signature, repeat, late }) => {
        const { callbacks } = await control.callbacks.send({
          leadId: lead_id,
          event,
          repeat: Number(repeat),
          ...(late && { late }),
          ...(changed !== event && { edit: { event: changed } }),
          ...(signature === 'wrong' && { badSignature: true }),
        })
        toast(`${formatCount(callbacks.length, 'synthetic callback')}.`)
      }}
      onClose={props.onClose}
    >
      <TextField label="Event in its query" name="changed" defaultValue={event} />
      {isSigned && <SelectField label="Signature" name="signature" choices={signatures} />}
      <TextField label="How often" name="repeat" type="number" required defaultValue="1" />
      <TextField label="How late" hint="A duration on the tenant's clock, such as PT24H. If empty, now." name="late" />
    </FormModal>
  )
}

/** The details of a callback: its state, its lead, its target, its next attempt, and each attempt with its response. */
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
  const clock = useClock()
  const isFrozen = clock.mode === 'frozen'
  return (
    <>
      <Time at={at} />
      <span className="muted">
        {formatCountdown(Date.parse(at) - Date.parse(clock.now))}
        {isFrozen && ' once the clock moves: it is frozen'}
      </span>
      {isFrozen && (
        <Link className="button small" to="../clock">
          Open the clock
        </Link>
      )}
    </>
  )
}

function Attempts({ attempts, resent_after }: Pick<Callback, 'attempts' | 'resent_after'>) {
  if (attempts.length === 0) return <p className="muted">No attempt has ended yet.</p>
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
function withoutResponse(attempt: Callback['attempts'][number]): string {
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
          <p className="muted">{withoutResponse(props.attempt)}</p>
        )}
      </div>
    </details>
  )
}
