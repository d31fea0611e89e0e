import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatLostResponse, formatMs, formatPath } from '../data/format.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { Badge, Empty, HttpStatus, PageHeader, Segments, Time } from '../ui/elements.tsx'
import { type Call, callId, outcomeOf } from './call-details.tsx'
import { CallDialog } from './call-dialog.tsx'

const operations = [
  { value: '', label: 'All' },
  { value: 'submitLead', label: 'Submissions' },
  { value: 'reportEvent', label: 'Pixels' },
  { value: 'reportStatus', label: 'Status updates' },
] as const

const classes = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: '2xx' },
  { value: '4xx', label: '4xx' },
  { value: '5xx', label: '5xx' },
  { value: 'cut', label: formatLostResponse('cut') },
  { value: 'withheld', label: formatLostResponse('withheld') },
] as const

/** The journal: every call to the service. */
export function Calls() {
  const { tenant = '' } = useParams()
  const [operation, setOperation] = useState<(typeof operations)[number]['value']>('')
  const [status, setStatus] = useState<(typeof classes)[number]['value']>('')
  const [shown, setShown] = useState<Call>()
  const filter = { ...(operation && { operation }), ...(status && { status }) }
  const list = usePagedList(tenant, ['calls', filter], callId, async page => {
    const { requests, next } = await sandbox.control(tenant).requests.list({ ...filter, ...page })
    return { entries: requests, next }
  })
  return (
    <>
      <PageHeader
        title="Calls"
        about="Every call to the service, and its outcome. Keys and personal data are masked before anything is kept."
      />
      <PagedTable
        label="Calls"
        columns={columnsOf(setShown)}
        list={list}
        filters={
          <>
            <Segments label="Operation" value={operation} options={operations} onChange={setOperation} />
            <Segments label="HTTP status" value={status} options={classes} onChange={setStatus} />
          </>
        }
        empty={
          <Empty title="No calls" about="Calls to the service appear here, from your application or from this page.">
            <Link className="button primary" to={`/${tenant}/submit`}>
              Submit a lead
            </Link>
          </Empty>
        }
      />
      <CallDialog tenant={tenant} call={shown} onClose={() => setShown(undefined)} />
    </>
  )
}

function columnsOf(show: (call: Call) => void): readonly Column<Call>[] {
  return [
    { id: 'status', header: 'Status', width: 110, cell: ({ row }) => <HttpStatus {...row.original} /> },
    {
      id: 'call',
      header: 'Call',
      cell: ({ row: { original: call } }) => (
        <>
          <button type="button" className="link" onClick={() => show(call)}>
            <span className="mono" title={call.path}>
              {call.method} {formatPath(call.path)}
            </span>
          </button>
          <div className="narrow-only second-line">{outcomeOf(call)}</div>
        </>
      ),
    },
    { id: 'outcome', header: 'Outcome', wideOnly: true, cell: ({ row }) => outcomeOf(row.original) },
    { id: 'signs', header: 'Notes', width: 190, wideOnly: true, cell: ({ row }) => signsOf(row.original) },
    { id: 'ms', header: 'Duration', width: 80, wideOnly: true, cell: ({ row }) => formatMs(row.original.ms) },
    { id: 'at', header: 'Time (UTC)', width: 164, wideOnly: true, cell: ({ row }) => <Time at={row.original.at} /> },
  ]
}

function signsOf({ warnings, near_misses, fault_id, broken }: Call): ReactNode {
  return (
    <>
      {near_misses && <Badge tone="warn">Misspelled?</Badge>}{' '}
      {warnings.length > 0 && <Badge tone="warn">Portability</Badge>} {fault_id && <Badge tone="info">Fault</Badge>}{' '}
      {broken === 'garbled' && <Badge tone="bad">Broken JSON</Badge>}
    </>
  )
}
