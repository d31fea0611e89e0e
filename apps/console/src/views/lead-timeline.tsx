import { docUrl } from '@lead-distribution/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Lead, PassingValue } from '../data/entries.ts'
import { formatHold, formatMs, formatValue, formatWord } from '../data/format.ts'
import { decidingStep, type HistoryEntry, historyOf, isDelivered } from '../data/lead-history.ts'
import { HttpStatus, Prose, StatusBadge, Time, type Tone } from '../ui/elements.tsx'
import { AdvertiserPageLink } from './advertiser-page.tsx'

/** Everything that happened to a lead, in the tenant's time: receipt, decision, delivery, redirect, events, callbacks. */
export function LeadTimeline(props: { readonly lead: Lead; readonly onTry: (passing: PassingValue) => void }) {
  const { lead, onTry } = props
  return (
    <ol className="timeline">
      <Step tone="info" title="Received" at={lead.received_at} />
      <Step tone={lead.status === 'rejected' ? 'bad' : 'good'} title={decisionTitle(lead)}>
        <DecidedBy decided={lead} onTry={onTry} />
        {lead.rejection_reason && (
          <p>
            <a href={docUrl('rejections', lead.rejection_reason)} target="_blank" rel="noreferrer">
              About this reason
            </a>
          </p>
        )}
        <details open={lead.status === 'rejected'}>
          <summary>Every check, in order</summary>
          <TraceTable trace={lead.trace} />
        </details>
      </Step>
      {lead.deliveries.length > 0 && (
        <Step tone={lead.status === 'distributed' ? 'good' : 'plain'} title="Advertisers asked">
          <Deliveries deliveries={lead.deliveries} />
        </Step>
      )}
      {lead.redirect_url && (
        <Step tone="info" title="The customer is redirected">
          <p>
            <AdvertiserPageLink url={lead.redirect_url} />, or report an event here. Each new event causes a callback.
          </p>
        </Step>
      )}
      {historyOf(lead).map((each, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows, at the end.
        <HistoryStep key={place} entry={each} />
      ))}
    </ol>
  )
}

/** The deciding check, and a value that passes it if there is one. Nothing if every check passed. */
export function DecidedBy(props: {
  readonly decided: Pick<Lead, 'trace' | 'passes_with'>
  readonly onTry: (passing: PassingValue) => void
}) {
  const { trace, passes_with } = props.decided
  const step = decidingStep(trace)
  if (!step) return null
  return (
    <>
      <p>
        {formatWord(step.check)}: <strong>{formatValue(step.input)}</strong>
        {step.threshold !== undefined && <> (threshold: {formatValue(step.threshold)})</>}.{' '}
        <Prose text={step.hint ?? ''} />
      </p>
      {passes_with && (
        <div className="actions">
          <button type="button" className="small" onClick={() => props.onTry(passes_with)}>
            Try with {passes_with.value}
          </button>
        </div>
      )}
    </>
  )
}

function decisionTitle({ status, rejection_reason, trace }: Lead): string {
  const forced = trace.some(({ verdict }) => verdict === 'forced') ? ', forced by a scenario' : ''
  if (status === 'rejected') return `Rejected: ${formatWord(rejection_reason ?? '').toLowerCase()}${forced}`
  return `Passed the checks${forced}`
}

function Step(props: {
  readonly tone: Tone
  readonly title: ReactNode
  readonly at?: string | undefined
  readonly children?: ReactNode
}) {
  return (
    <li className={props.tone}>
      <div className="actions">
        <h3>{props.title}</h3>
        {props.at && <Time at={props.at} precise />}
      </div>
      {props.children}
    </li>
  )
}

/** The checks of a decision with input, threshold and verdict. */
export function TraceTable({ trace }: { readonly trace: Lead['trace'] }) {
  const deciding = decidingStep(trace)
  return (
    <div className="trace">
      <table className="plain-table trace-table">
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Input</th>
            <th scope="col" className="threshold">
              Threshold
            </th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {trace.map(step => (
            <TraceRows key={step.check} step={step} decides={step === deciding && step.verdict === 'rejected'} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TraceRows({ step, decides }: { readonly step: Lead['trace'][number]; readonly decides: boolean }) {
  const { check, input, threshold, hint, verdict } = step
  const tone = decides ? 'decides' : ''
  return (
    <>
      <tr className={tone}>
        <td>{formatWord(check)}</td>
        <td>
          {formatValue(input)}
          {threshold !== undefined && <div className="threshold-below muted">threshold: {formatValue(threshold)}</div>}
        </td>
        <td className="threshold">{formatValue(threshold)}</td>
        <td>
          <StatusBadge word={verdict} />
        </td>
      </tr>
      {hint && (
        <tr className={`hint ${tone}`}>
          <td colSpan={3}>
            <Prose text={hint} />
          </td>
          <td className="threshold" />
        </tr>
      )}
    </>
  )
}

function Deliveries({ deliveries }: Pick<Lead, 'deliveries'>) {
  return (
    <ul className="stack">
      {deliveries.map(({ advertiser_id, name, decision, reasons, backend }) => (
        <li key={advertiser_id}>
          {name} <StatusBadge word={decision} />
          {reasons.length > 0 && <span className="muted"> {reasons.map(formatWord).join(', ')}</span>}
          {backend && (
            <div className="muted">
              Forwarded to its back end: {backend.status !== undefined && <HttpStatus status={backend.status} />}{' '}
              {backend.error} {formatMs(backend.ms)}
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function HistoryStep({ entry }: { readonly entry: HistoryEntry }) {
  const { at } = entry
  if (entry.kind === 'event') {
    const { event, reported_as, via, ref } = entry.event
    const alias = reported_as === event ? '' : ` as ${reported_as}`
    return (
      <Step tone="info" title={`The advertiser reported ${event}`} at={at}>
        <p className="muted">
          Through the {via === 'pixel' ? 'postback URL' : 'status update'}
          {alias}
          {ref && `, reference ${ref}`}
        </p>
      </Step>
    )
  }
  const { callback_id, lead_id, event, url, held, synthetic } = entry.callback
  const address = `../callbacks/${callback_id}?lead_id=${lead_id}`
  if (entry.kind === 'waiting')
    return (
      <Step
        tone="warn"
        title={<Link to={address}>{`The ${synthetic ? 'synthetic ' : ''}callback for ${event} is pending`}</Link>}
      >
        <p className="muted">
          {held && `${formatHold(held)}. `}
          {at && (
            <>
              Next attempt at <Time at={at} />
            </>
          )}
        </p>
      </Step>
    )
  const { attempt, number } = entry
  const delivered = isDelivered(attempt)
  return (
    <Step
      tone={delivered ? 'good' : 'bad'}
      title={
        <Link to={address}>
          {`${synthetic ? 'Synthetic callback' : 'Callback'} for ${event} ${delivered ? 'delivered' : 'failed'}${number > 1 ? `, attempt ${number}` : ''}`}
        </Link>
      }
      at={at}
    >
      <p className="muted">
        {attempt.status !== undefined && <HttpStatus status={attempt.status} />} {attempt.error} {formatMs(attempt.ms)}
        {number === 1 && (
          <>
            , to <code>{url}</code>
          </>
        )}
      </p>
    </Step>
  )
}
