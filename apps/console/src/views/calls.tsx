import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { formatLostResponse, formatMs, formatPath } from '../data/format.ts'
import { liveKey } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { useSearchState, uuidPattern } from '../data/search-state.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { Badge, Empty, HttpStatus, PageHeader, Segments, Time } from '../ui/elements.tsx'
import { type Call, CallDetails, callId, outcomeOf } from './call-details.tsx'
import { Detail, EntryLink, ListDetail } from './list-detail.tsx'
import { ChooseOther, OneLead } from './list-filters.tsx'

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
]

const parameters = {
  operation: operations.map(({ value }) => value),
  /** Also a single status, which only a link asks for. */
  status: /^([2-5]xx|[2-5]\d\d|cut|withheld)$/,
  lead_id: uuidPattern,
  compare: /^r\d{1,15}$/,
} as const

/** The journal: every call to the service. */
export function Calls() {
  const { tenant = '', request_id } = useParams()
  const { search } = useLocation()
  const [{ operation, status, lead_id, compare }, set] = useSearchState(parameters)
  const filter = {
    ...(operation && { operation }),
    ...(status && { status: /^\d+$/.test(status) ? Number(status) : status }),
    ...(lead_id && { lead_id }),
  }
  const list = usePagedList(tenant, ['calls', filter], callId, async page => {
    const { requests, next } = await sandbox.control(tenant).requests.list({ ...filter, ...page })
    return { entries: requests, next }
  })
  const columns = useMemo(
    () => columnsOf({ tenant, search, compare, openId: request_id }),
    [tenant, search, compare, request_id],
  )
  const isClass = classes.some(({ value }) => value === status)
  return (
    <ListDetail
      header={
        <PageHeader
          title="Calls"
          about="Every call to the service, and its outcome. Keys and personal data are masked before anything is kept."
        />
      }
      openId={request_id}
      list={
        <>
          {compare && <ChooseOther what={`a call to compare with ${compare}`} onCancel={() => set({ compare: '' })} />}
          <PagedTable
            label="Calls"
            columns={columns}
            list={list}
            filters={
              <>
                <Segments
                  label="Operation"
                  value={operation}
                  options={operations}
                  onChange={value => set({ operation: value })}
                />
                <Segments
                  label="HTTP status"
                  value={status}
                  options={isClass ? classes : [...classes, { value: status, label: status }]}
                  onChange={value => set({ status: value })}
                />
                <OneLead tenant={tenant} lead_id={lead_id} onClear={() => set({ lead_id: '' })} />
              </>
            }
            empty={<NoCalls tenant={tenant} isFiltered={Object.keys(filter).length > 0} />}
          />
        </>
      }
      detail={id => (
        <CallDetail
          tenant={tenant}
          request_id={id}
          known={list.entries.find(call => call.request_id === id)}
          search={search}
        />
      )}
    />
  )
}

function CallDetail(props: {
  readonly tenant: string
  readonly request_id: string
  /** The call as the list has it. */
  readonly known: Call | undefined
  readonly search: string
}) {
  const { tenant, request_id, known, search } = props
  const { data: call, error } = useQuery({
    queryKey: liveKey(tenant, 'call', request_id),
    queryFn: () => sandbox.control(tenant).requests.show(request_id),
    ...(known && { placeholderData: known }),
  })
  return (
    <Detail
      title={call ? `${call.method} ${call.path}` : `Call ${request_id}`}
      id={request_id}
      list={{ label: 'Calls', to: { pathname: `/${tenant}/calls`, search } }}
      error={error}
      missing={{
        title: "This call isn't here",
        about: 'The journal keeps the newest calls, and resetting or restoring the tenant empties it.',
      }}
      actions={
        call && (
          <Link className="button" to={`/${tenant}/calls?compare=${request_id}`}>
            Compare with…
          </Link>
        )
      }
    >
      {call && <CallDetails tenant={tenant} call={call} />}
    </Detail>
  )
}

function NoCalls({ tenant, isFiltered }: { readonly tenant: string; readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No calls match" about="Change or clear the filters." />
  return (
    <Empty title="No calls" about="Calls to the service appear here, from your application or from this page.">
      <Link className="button primary" to={`/${tenant}/submit`}>
        Submit a lead
      </Link>
    </Empty>
  )
}

function columnsOf(shown: {
  readonly tenant: string
  readonly search: string
  readonly compare: string
  readonly openId: string | undefined
}): readonly Column<Call>[] {
  const { tenant, search, compare, openId } = shown
  const addressOf = ({ request_id }: Call) =>
    compare
      ? `/${tenant}/compare/calls/${compare}/${request_id}`
      : { pathname: `/${tenant}/calls/${request_id}`, search }
  return [
    { id: 'status', header: 'Status', width: 112, cell: call => <HttpStatus {...call} /> },
    {
      id: 'call',
      header: 'Call',
      minWidth: 216,
      cell: call => (
        <EntryLink id={call.request_id} openId={openId} to={addressOf(call)}>
          <span className="mono" title={call.path}>
            {call.method} {formatPath(call.path)}
          </span>
        </EntryLink>
      ),
    },
    { id: 'outcome', header: 'Outcome', minWidth: 244, priority: 2, cell: outcomeOf },
    { id: 'signs', header: 'Notes', width: 190, priority: 4, cell: signsOf },
    { id: 'ms', header: 'Duration', width: 90, priority: 5, cell: ({ ms }) => formatMs(ms) },
    { id: 'at', header: 'Time (UTC)', width: 144, priority: 3, cell: ({ at }) => <Time at={at} /> },
  ]
}

function signsOf({ warnings, near_misses, fault_id, broken }: Call): ReactNode {
  if (!near_misses && warnings.length === 0 && !fault_id && broken !== 'garbled') return undefined
  return (
    <>
      {near_misses && <Badge tone="warn">Misspelled?</Badge>}{' '}
      {warnings.length > 0 && <Badge tone="warn">Portability</Badge>} {fault_id && <Badge tone="info">Fault</Badge>}{' '}
      {broken === 'garbled' && <Badge tone="bad">Broken JSON</Badge>}
    </>
  )
}
