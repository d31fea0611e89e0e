import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { operationLabels } from '../data/format.ts'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, Card, ErrorNote, PageHeader } from '../ui/elements.tsx'
import { effectOf, FaultForm } from './fault-form.tsx'

type Fault = Awaited<ReturnType<TenantControl['faults']['list']>>['faults'][number]

/** Makes calls of the service and callbacks fail, and shows which faults still act. */
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
        about="Make calls of the service or callbacks fail on purpose. Of several faults that match, the first acts."
      />
      <div className="columns">
        <FaultForm tenant={tenant} />
        <Card
          title="Active"
          flush
          actions={
            faults.length > 0 && (
              <button type="button" className="danger small" onClick={() => clear.mutate()}>
                Remove all
              </button>
            )
          }
        >
          <ErrorNote error={error} />
          {data && faults.length === 0 && <div className="body muted">No fault is set: everything works.</div>}
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
    <li>
      <div className="grow">
        <strong>{operationLabels[match.operation]}</strong>: {effectOf(fault.effect)}
        <div className="muted">
          {conditionsOf(fault)} Matched {matched}, acted {acted}.
        </div>
      </div>
      <span className="end">
        {left !== undefined && <Badge tone={left > 0 ? 'info' : 'plain'}>{left} left</Badge>}
        <button type="button" className="small" onClick={() => remove.mutate()}>
          Remove <span className="visually-hidden">the fault {fault_id}</span>
        </button>
      </span>
    </li>
  )
}

function conditionsOf({ match, after, probability }: Fault): string {
  const conditions = [
    match.scenario !== undefined && `Only the scenario ${match.scenario}.`,
    after !== undefined && after > 0 && `After ${after} calls.`,
    probability !== undefined && `In ${Math.round(probability * 100)} of 100 calls.`,
  ]
  return conditions.filter(Boolean).join(' ')
}
