import { keepPreviousData } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { PassingValue } from '../data/entries.ts'
import { nextActOf } from '../data/fault-timing.ts'
import { formatWord } from '../data/format.ts'
import { useDebounced } from '../data/input-values.ts'
import { parsedJson } from '../data/json.ts'
import { useActiveFaults, useRead } from '../data/live.ts'
import { readBody } from '../data/submission.ts'
import { Card, ErrorNote, HttpStatus, Note, StatusBadge } from '../ui/elements.tsx'
import { effectOf } from './fault-forms.tsx'
import { DecidedBy, TraceTable } from './lead-timeline.tsx'

/** The response that the lead would get now, and why. */
export function DryRun(props: {
  readonly dryRun: ReturnType<typeof useDryRun>
  /** True if another submission by the same customer is sent first. */
  readonly isSecond: boolean
  /** The body, and a callback for choosing a value that passes the check. */
  readonly body: string
  readonly onTry: (passing: PassingValue) => void
}) {
  const { data, error } = props.dryRun
  const { status, rejection_reason, error: code } = readBody(data?.would.body)
  const outcome = rejection_reason ?? code
  const active = useActiveFaults()
  const faults = active.filter(({ match }) => match.operation === 'submitLead')
  return (
    <Card
      title="Dry run"
      actions={
        data && (
          <>
            <HttpStatus status={data.would.status} />
            {status && <StatusBadge word={status} />}
          </>
        )
      }
    >
      {data && (
        <p className="muted">
          {faults.length > 0 ? 'The decision, before a fault acts.' : 'The response you would get now.'} Nothing is
          created.
        </p>
      )}
      {parsedJson(props.body) === undefined && <p className="muted">There is no dry run of a body that isn't JSON.</p>}
      {faults.map(fault => (
        <Note key={fault.fault_id} tone="warn">
          <p>
            Fault <Link to={`../faults?fault=${fault.fault_id}`}>{fault.fault_id}</Link>: {effectOf(fault.effect)}.{' '}
            {nextActOf(fault, active)}
          </p>
        </Note>
      ))}
      {props.isSecond && (
        <Note>This outcome requires two submissions by the same customer. The first one is sent automatically.</Note>
      )}
      <ErrorNote error={error} />
      {outcome && <p>{formatWord(outcome)}</p>}
      {data && <DecidedBy decided={data} onTry={props.onTry} />}
      {data?.warnings.map(({ switch: name, interpretation, other_interpretation, would }) => (
        <Note key={name} tone="warn">
          <p>
            Under <code>{name}</code> = <code>{other_interpretation}</code> (here <code>{interpretation}</code>), the
            service would {would}.
          </p>
        </Note>
      ))}
      {data && <TraceTable trace={data.trace} />}
    </Card>
  )
}

/** Explains the response that a body would get, without submitting it. `current` is the result for exactly this body. */
export function useDryRun(body: string) {
  const settled = useDebounced(body)
  const submission = parsedJson(settled)
  // Live, because submissions, faults and the clock affect the result.
  const { data, error, isPlaceholderData } = useRead(
    ['dry-run', settled],
    control => control.leads.explain(submission),
    { enabled: submission !== undefined, placeholderData: keepPreviousData },
  )
  // What was read before is not about this body.
  const shown = error || submission === undefined ? undefined : data
  return { data: shown, error, current: settled === body && !isPlaceholderData ? shown : undefined }
}
