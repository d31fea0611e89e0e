import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { JournalEntry, ListedEntry } from '../data/entries.ts'
import { formatLostResponse, formatMs, formatPath } from '../data/format.ts'
import { useJournalEntry } from '../data/live.ts'
import { pageOf, usePagedList } from '../data/paged-list.ts'
import { useSearchState, uuidPattern } from '../data/search-state.ts'
import type { Column } from '../ui/data-table.tsx'
import { Badge, HttpStatus, PageHeader, Time } from '../ui/elements.tsx'
import { Segments } from '../ui/forms.tsx'
import { ChooseOther, EntryLink, ListDetail, OneLead } from './list-detail.tsx'
import { RequestDetails, RequestOutcome, requestId } from './request-details.tsx'

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

/** The journal: every request to the service. */
export function Requests() {
  const [{ operation, status, lead_id, compare }, set] = useSearchState(parameters)
  const filter = {
    ...(operation && { operation }),
    ...(status && { status: /^\d+$/.test(status) ? Number(status) : status }),
    ...(lead_id && { leadId: lead_id }),
  }
  const list = usePagedList({
    name: ['requests', filter],
    idOf: requestId,
    read: (control, page) => pageOf('requests', control.requests.list({ ...filter, ...page, include: 'email' })),
  })
  const isClass = classes.some(({ value }) => value === status)
  return (
    <ListDetail
      of="requests"
      header={<PageHeader title="Requests" about="Every request to the service, and its outcome." />}
      beforeList={
        compare && <ChooseOther what={`a request to compare with ${compare}`} onCancel={() => set({ compare: '' })} />
      }
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
          <OneLead lead_id={lead_id} onClear={() => set({ lead_id: '' })} />
        </>
      }
      isFiltered={Object.keys(filter).length > 0}
      empty={{
        title: 'No requests',
        about: 'Requests to the service appear here, from your application or from this page.',
        to: '../submit',
        action: 'Submit a lead',
      }}
      detail={{
        useEntry: useJournalEntry,
        title: (entry, id) => (entry ? `${entry.method} ${entry.path}` : `Request ${id}`),
        actions: ({ request_id }) => (
          <Link className="button" to={`../requests?compare=${request_id}`}>
            Compare with…
          </Link>
        ),
        content: entry => <RequestDetails entry={entry} />,
      }}
    />
  )
}

const columns: readonly Column<ListedEntry>[] = [
  { id: 'status', header: 'Status', width: 96, cell: entry => <HttpStatus {...entry} /> },
  { id: 'request', header: 'Request', minWidth: 112, cell: entry => <RequestLink entry={entry} /> },
  { id: 'customer', header: 'Customer', minWidth: 130, priority: 3, cell: ({ email }) => email },
  // As wide as the longest reason, which is what one looks for.
  { id: 'outcome', header: 'Outcome', width: 240, priority: 2, cell: entry => <RequestOutcome entry={entry} /> },
  { id: 'signs', header: 'Notes', width: 140, priority: 4, cell: signsOf },
  { id: 'ms', header: 'Duration', width: 90, priority: 5, cell: ({ ms }) => formatMs(ms) },
  { id: 'at', header: 'Time (UTC)', width: 166, priority: 3, cell: ({ at }) => <Time at={at} precise /> },
]

function RequestLink({ entry: { request_id, method, path } }: { readonly entry: JournalEntry }) {
  const [{ compare }] = useSearchState(parameters)
  return (
    <EntryLink list="requests" id={request_id} compare={compare}>
      <span className="mono" title={path}>
        {method} {formatPath(path)}
      </span>
    </EntryLink>
  )
}

function signsOf({ warnings, near_misses, fault_id, broken, resent }: JournalEntry): ReactNode {
  if (!near_misses && warnings.length === 0 && !fault_id && broken !== 'garbled' && !resent) return undefined
  return (
    <>
      {near_misses && <Badge tone="warn">Misspelled?</Badge>}{' '}
      {warnings.length > 0 && <Badge tone="warn">Portability</Badge>} {fault_id && <Badge tone="info">Fault</Badge>}{' '}
      {resent && <Badge>Sent again by the browser</Badge>}{' '}
      {broken === 'garbled' && <Badge tone="bad">Broken JSON</Badge>}
    </>
  )
}
