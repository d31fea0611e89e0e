import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { operationLabels } from '../data/format.ts'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, PageHeader } from '../ui/elements.tsx'
import { effectOf, FaultForm } from './fault-form.tsx'
import { MarkedItem, MissingMark } from './marked-item.tsx'

type Fault = Awaited<ReturnType<TenantControl['faults']['list']>>['faults'][number]

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
      <div className="columns">
        <FaultForm tenant={tenant} />
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
              <FaultRow key={fault.fault_id} tenant={tenant} fault={fault} />
            ))}
          </ol>
        </Card>
      </div>
    </>
  )
}

function FaultRow({ tenant, fault }: { readonly tenant: string; readonly fault: Fault }) {
  const { fault_id, match, acted, matched } = fault
  const remove = useAction(tenant, () => sandbox.control(tenant).faults.remove(fault_id), 'The fault is removed.')
  const left = fault.times === undefined ? undefined : Math.max(0, fault.times - acted)
  return (
    <MarkedItem parameter="fault" id={fault_id}>
      <Link className="mono" to={`?fault=${fault_id}`} replace title="The address of this fault">
        {fault_id}
      </Link>
      <div className="grow">
        <strong>{operationLabels[match.operation]}</strong>: {effectOf(fault.effect)}
        <div className="muted">
          {conditionsOf(fault)} Matched {matched}, acted {acted}.
        </div>
      </div>
      <span className="end">
        {left !== undefined && <Badge tone={left > 0 ? 'info' : 'plain'}>{left} left</Badge>}
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

function conditionsOf({ match, after, probability }: Fault): string {
  const conditions = [
    match.scenario !== undefined && `Only the scenario ${match.scenario}.`,
    after !== undefined && after > 0 && `After ${after} calls.`,
    probability !== undefined && `In ${Math.round(probability * 100)}% of calls.`,
  ]
  return conditions.filter(Boolean).join(' ')
}
