import type { useDryRun } from '../data/dry-run.ts'
import { formatWord } from '../data/format.ts'
import { Card, ErrorNote, HttpStatus, Note, StatusBadge } from '../ui/elements.tsx'
import { TraceTable } from './lead-timeline.tsx'

/** What would happen if the lead were sent now, and what would lead to another outcome. */
export function DryRun(props: {
  readonly dryRun: ReturnType<typeof useDryRun>
  /** Whether another submission of the customer goes before it. */
  readonly isSecond: boolean
  /** Whether this very lead was sent already. */
  readonly isSent: boolean
}) {
  const { data, error } = props.dryRun
  const { status, rejection_reason, error: code } = Object(data?.would.body)
  const outcome = rejection_reason ?? code
  return (
    <Card
      title="Dry run"
      actions={
        data && (
          <>
            <HttpStatus status={data.would.status} />
            {typeof status === 'string' && <StatusBadge word={status} />}
          </>
        )
      }
    >
      <p className="muted">
        {props.isSent
          ? 'The response you would get if you sent the same lead again. For another lead, choose New customer.'
          : 'The response you would get now. Nothing is created.'}
      </p>
      {props.isSecond && (
        <Note>This outcome takes two submissions from one customer. The first is sent just before this one.</Note>
      )}
      <ErrorNote error={error} />
      {typeof outcome === 'string' && <p>{formatWord(outcome)}</p>}
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
