import { Link } from 'react-router'
import type { Fault } from '../data/entries.ts'
import { nextActOf } from '../data/fault-timing.ts'
import { formatCount, operationLabels } from '../data/format.ts'
import { type Hit, hitFault, maxRequests } from '../data/hit-fault.ts'
import { useAction, useFaults, useLeadContext } from '../data/live.ts'
import { useSearchState } from '../data/search-state.ts'
import { ConfirmButton } from '../ui/actions.tsx'
import { Card, ErrorNote, HttpStatus, OutcomeBadge, PageHeader, StatusBadge } from '../ui/elements.tsx'
import { ClearFaults } from './active-faults.tsx'
import { effectOf, FaultForm, FaultPresets, faultParameters } from './fault-forms.tsx'
import { MarkedItems } from './marked-item.tsx'

/** Makes requests to the service and callbacks fail, and lists the faults. */
export function Faults() {
  const { data, error } = useFaults()
  const faults = data?.faults ?? []
  const [{ operation }] = useSearchState(faultParameters)
  return (
    <>
      <PageHeader
        title="Faults"
        about="Make requests to the service, or callbacks, fail on purpose. If several faults match, the first one applies."
      />
      <Card title="Active" flush actions={faults.length > 0 && <ClearFaults label="Remove all" />}>
        <ErrorNote error={error} />
        {data && faults.length === 0 && <div className="body muted">No fault is set. Everything works.</div>}
        {data && (
          <MarkedItems
            name="fault"
            entries={faults}
            idOf={({ fault_id }) => fault_id}
            missing="It was removed, or the tenant was reset or restored."
          >
            {fault => <FaultRow fault={fault} faults={faults} />}
          </MarkedItems>
        )}
      </Card>
      {operation === '' && <FaultPresets />}
      {/* A fault filled in by a link comes first. */}
      <details className="card advanced" open={operation !== ''}>
        <summary>Advanced: any effect on any request</summary>
        <FaultForm />
      </details>
      {operation !== '' && <FaultPresets />}
    </>
  )
}

function FaultRow({ fault, faults }: { readonly fault: Fault; readonly faults: readonly Fault[] }) {
  const { fault_id, match, acted, matched } = fault
  return (
    <>
      <Link className="mono" to={`?fault=${fault_id}`} replace title="The address of this fault">
        {fault_id}
      </Link>
      <div className="grow">
        <strong>{operationLabels[match.operation]}</strong>: {effectOf(fault.effect)}
        <div>{nextActOf(fault, faults)}</div>
        <div className="muted">
          {limitsOf(fault)} Matched {matched}, acted {acted}.
        </div>
        <HitFault fault={fault} />
      </div>
      <span className="line end">
        <ConfirmButton
          small
          label="Remove"
          of={`the fault ${fault_id}`}
          question={`Remove the fault ${fault_id}?`}
          about={`It matched ${formatCount(matched, 'request')} and acted on ${acted}. This can't be undone.`}
          act={control => control.faults.remove(fault_id)}
          done="The fault is removed."
        />
      </span>
    </>
  )
}

function limitsOf({ times, acted }: Fault): string {
  if (times === undefined) return 'Until you remove it.'
  return `${Math.max(0, times - acted)} of ${times} left.`
}

/** Triggers the fault, and links to its effect. */
function HitFault({ fault }: { readonly fault: Fault }) {
  const context = useLeadContext()
  const hit = useAction(async control => hitFault(fault, control, context))
  const canAct = fault.state === 'active' && fault.lets_through < maxRequests
  if (!canAct && !hit.data) return null
  return (
    <div className="fault-hit stack">
      {canAct && (
        <div className="actions">
          <button type="button" className="small" {...hit.button} onClick={() => hit.mutate()}>
            {hit.isPending ? 'Sending…' : 'Send a lead that hits it'}{' '}
            <span className="visually-hidden">{fault.fault_id}</span>
          </button>
        </div>
      )}
      <ErrorNote error={hit.error} />
      {hit.data && <HitResult {...hit.data} />}
    </div>
  )
}

function HitResult({ entry, callback, lead_id, isResent }: Hit) {
  return (
    <output className="actions">
      It acted.{isResent && ' The browser sent the request again.'}
      {entry && (
        <>
          <HttpStatus status={entry.status} broken={entry.broken} />
          <OutcomeBadge word={entry.outcome} />
          <Link to={`../requests/${entry.request_id}`}>Open the request</Link>
        </>
      )}
      {callback && (
        <>
          <StatusBadge word={callback.state} />
          <Link to={`../callbacks/${callback.callback_id}`}>Open the callback</Link>
        </>
      )}
      {lead_id && <Link to={`../leads/${lead_id}`}>Open the lead</Link>}
    </output>
  )
}
