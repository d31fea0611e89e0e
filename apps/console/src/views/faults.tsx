import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { blockedBy, callsBefore, type Fault, isUsedUp, nextActOf } from '../data/fault-timing.ts'
import { operationLabels } from '../data/format.ts'
import { type Hit, hitFault, mostCalls } from '../data/hit-fault.ts'
import { liveKey, useAccount, useAction, useClock } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Card, ErrorNote, HttpStatus, PageHeader, StatusBadge } from '../ui/elements.tsx'
import { effectOf, FaultForm } from './fault-form.tsx'
import { FaultPresets } from './fault-presets.tsx'
import { MarkedItem, MissingMark } from './marked-item.tsx'

/** Makes calls to the service and callbacks fail, and lists the faults. */
export function Faults() {
  const { tenant = '' } = useParams()
  const control = sandbox.control(tenant)
  const { data, error } = useQuery({ queryKey: liveKey(tenant, 'faults'), queryFn: () => control.faults.list() })
  const clear = useAction(tenant, () => control.faults.clear(), 'All faults are removed.')
  const faults = data?.faults ?? []
  return (
    <>
      <PageHeader
        title="Faults"
        about="Make calls to the service, or callbacks, fail on purpose. If several faults match, the first one applies."
      />
      <Card
        title="Active"
        flush
        actions={
          faults.length > 0 && (
            <ConfirmButton
              small
              label="Remove all"
              question="Remove all faults?"
              about={`${faults.length === 1 ? '1 fault' : `${faults.length} faults`} will be deleted, with how often each matched and acted. This can't be undone.`}
              act={() => clear.mutateAsync()}
            />
          )
        }
      >
        <ErrorNote error={error} />
        {data && faults.length === 0 && <div className="body muted">No fault is set. Everything works.</div>}
        {data && (
          <MissingMark parameter="fault" ids={faults.map(({ fault_id }) => fault_id)} what="fault">
            It was removed, or the tenant was reset or restored.
          </MissingMark>
        )}
        <ol className="items">
          {faults.map(fault => (
            <FaultRow key={fault.fault_id} tenant={tenant} fault={fault} faults={faults} />
          ))}
        </ol>
      </Card>
      <FaultPresets tenant={tenant} />
      <details className="card advanced">
        <summary>Advanced: any effect on any call</summary>
        <FaultForm tenant={tenant} />
      </details>
    </>
  )
}

function FaultRow(props: { readonly tenant: string; readonly fault: Fault; readonly faults: readonly Fault[] }) {
  const { tenant, fault, faults } = props
  const { fault_id, match, acted, matched } = fault
  const remove = useAction(tenant, () => sandbox.control(tenant).faults.remove(fault_id), 'The fault is removed.')
  return (
    <MarkedItem parameter="fault" id={fault_id}>
      <Link className="mono" to={`?fault=${fault_id}`} replace title="The address of this fault">
        {fault_id}
      </Link>
      <div className="grow">
        <strong>{operationLabels[match.operation]}</strong>: {effectOf(fault.effect)}
        <div>{nextActOf(fault, faults)}</div>
        <div className="muted">
          {limitsOf(fault)} Matched {matched}, acted {acted}.
        </div>
        <HitFault tenant={tenant} fault={fault} faults={faults} />
      </div>
      <span className="end">
        <ConfirmButton
          small
          label="Remove"
          of={`the fault ${fault_id}`}
          question={`Remove the fault ${fault_id}?`}
          about={`It matched ${matched} ${matched === 1 ? 'call' : 'calls'} and acted on ${acted}. This can't be undone.`}
          act={() => remove.mutateAsync()}
        />
      </span>
    </MarkedItem>
  )
}

function limitsOf({ times, acted }: Fault): string {
  if (times === undefined) return 'Until you remove it.'
  return `${Math.max(0, times - acted)} of ${times} left.`
}

/** Sends what the fault acts on, and links to what it did. */
function HitFault(props: { readonly tenant: string; readonly fault: Fault; readonly faults: readonly Fault[] }) {
  const { tenant, fault, faults } = props
  const { data: account } = useAccount(tenant)
  const { data: clock } = useClock(tenant)
  const hit = useAction(tenant, async () => {
    if (!account || !clock) throw new Error("The tenant isn't loaded yet. Try again.")
    return hitFault(fault, { tenant, account, today: new Date(clock.now) })
  })
  const canAct = !isUsedUp(fault) && !blockedBy(fault, faults) && callsBefore(fault) < mostCalls
  if (!canAct && !hit.data) return null
  return (
    <div className="fault-hit stack">
      {canAct && (
        <div className="actions">
          <button type="button" className="small" disabled={hit.isPending} onClick={() => hit.mutate()}>
            {hit.isPending ? 'Sending…' : 'Send a lead that hits it'}{' '}
            <span className="visually-hidden">{fault.fault_id}</span>
          </button>
        </div>
      )}
      <ErrorNote error={hit.error} />
      {hit.data && <HitResult tenant={tenant} {...hit.data} />}
    </div>
  )
}

function HitResult({ tenant, call, callback, lead_id }: Hit & { readonly tenant: string }) {
  return (
    <output className="actions">
      It acted.
      {call && (
        <>
          <HttpStatus status={call.status} broken={call.broken} />
          <Link to={`/${tenant}/calls/${call.request_id}`}>Open the call</Link>
        </>
      )}
      {callback && (
        <>
          <StatusBadge word={callback.state} />
          <Link to={`/${tenant}/callbacks/${callback.callback_id}`}>Open the callback</Link>
        </>
      )}
      {lead_id && <Link to={`/${tenant}/leads/${lead_id}`}>Open the lead</Link>}
    </output>
  )
}
