import { useDryRun } from '../data/dry-run.ts'
import { formatWord } from '../data/format.ts'
import { Card, ErrorNote, HttpStatus, Note, StatusBadge } from '../ui/elements.tsx'
import { TraceTable } from './lead-timeline.tsx'

/** What would happen if the lead were sent now, and what would lead to another outcome. */
export function DryRun(props: {
  readonly tenant: string
  readonly body: string
  /** Whether another submission of the customer goes before it. */
  readonly isSecond: boolean
  /** Whether this very lead was sent already. */
  readonly isSent: boolean
}) {
  const { data, error } = useDryRun(props.tenant, props.body)
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
          ? 'What the service would answer if you sent the same lead again. For another one, take a new customer.'
          : 'What the service would answer now. Nothing is created.'}
      </p>
      {props.isSecond && (
        <Note>The outcome belongs to the second submission of one customer: the first one is sent just before it.</Note>
      )}
      <ErrorNote error={error} />
      {typeof outcome === 'string' && <p>{formatWord(outcome)}</p>}
      {data?.warnings.map(({ switch: name, interpretation, other_interpretation, would }) => (
        <Note key={name} tone="warn">
          <p>
            Under <code>{name}</code> = <code>{other_interpretation}</code> (here <code>{interpretation}</code>), the
            service would {would === 'accept' ? 'accept it' : <>answer {formatWord(would).toLowerCase()}</>}.
          </p>
        </Note>
      ))}
      {data && <TraceTable trace={data.trace} />}
    </Card>
  )
}
