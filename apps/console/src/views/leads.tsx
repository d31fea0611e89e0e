import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { useEffect, useId, useState } from 'react'
import { Link } from 'react-router'
import type { ListedSubmission } from '../data/entries.ts'
import { formatCustomer, formatEuros, formatWord, shortId } from '../data/format.ts'
import { filled } from '../data/input-values.ts'
import { useAccount, useLead } from '../data/live.ts'
import { type ListSource, pageOf, usePagedList, usePages } from '../data/paged-list.ts'
import { useSearchState, uuidPattern, type ValuesOf } from '../data/search-state.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { DebouncedInput } from '../ui/debounced-input.tsx'
import { PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { Options, Segments } from '../ui/forms.tsx'
import { ChooseOther, EntryLink, Steps } from './list-detail.tsx'

/** A time in UTC, like all times on the page: with minute precision, as in the inputs, or a full date-time. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?Z)?$/

const lengthToMinute = 'YYYY-MM-DDTHH:MM'.length

const parameters = {
  status: leadStatuses,
  reason: rejectionReasons,
  product_id: uuidPattern,
  customer: /^.{1,254}$/,
  from: time,
  to: time,
  /** The lead to compare the next chosen one with. */
  compare: uuidPattern,
} as const

type Filters = Omit<ValuesOf<typeof parameters>, 'compare'>

type LeadFilter = NonNullable<Parameters<TenantControl['submissions']['list']>[0]>

/** Converts the filters for the control plane. */
function leadFilter({ from, to, product_id, ...texts }: Filters): LeadFilter {
  const full = (text: string) => (text.length === lengthToMinute ? `${text}:00Z` : text)
  return filled({ ...texts, productId: product_id, from: full(from), to: full(to) })
}

/** Matches every lead. */
const noFilter: Filters = { status: '', reason: '', product_id: '', customer: '', from: '', to: '' }

const wordChoice = <Word extends string>(value: Word) => ({ value, label: formatWord(value) })

const statuses = [{ value: '' as const, label: 'All' }, ...leadStatuses.map(wordChoice)]

/** The filters of the list of leads. */
function LeadFilters(props: { readonly value: Filters; readonly onChange: (change: Partial<Filters>) => void }) {
  const { value, onChange } = props
  const account = useAccount()
  const { status, customer, ...more } = value
  const id = useId()
  const [isOpen] = useState(Object.values(more).some(Boolean))
  const products = account.products.map(({ product_id, name }) => ({ value: product_id, label: name }))
  return (
    <>
      <Segments label="Status" value={status} options={statuses} onChange={chosen => onChange({ status: chosen })} />
      <DebouncedInput
        type="search"
        aria-label="Customer"
        placeholder="E-mail, name or external_id"
        value={customer}
        onSettle={text => onChange({ customer: text })}
      />
      <details open={isOpen}>
        <summary>More filters</summary>
        <div className="actions">
          <select
            aria-label="Reason"
            value={more.reason}
            onChange={event => onChange({ reason: event.target.value as Filters['reason'] })}
          >
            <Options choices={[{ value: '', label: 'Any reason' }, ...rejectionReasons.map(wordChoice)]} />
          </select>
          <select
            aria-label="Product"
            value={more.product_id}
            onChange={event => onChange({ product_id: event.target.value })}
          >
            <Options choices={[{ value: '', label: 'Any product' }, ...products]} />
          </select>
          {(['from', 'to'] as const).map(end => (
            <label key={end} className="line" htmlFor={`${id}-${end}`}>
              {formatWord(end)} <span className="visually-hidden">UTC</span>
              <DebouncedInput
                id={`${id}-${end}`}
                type="datetime-local"
                value={more[end].slice(0, lengthToMinute)}
                onSettle={text => onChange({ [end]: text })}
              />
            </label>
          ))}
          <span className="muted">UTC</span>
          <button type="button" onClick={() => onChange(noFilter)}>
            Clear
          </button>
        </div>
      </details>
    </>
  )
}

/** All leads of a tenant, and the rejections that created none, newest first. */
export function Leads() {
  const [{ compare, ...filter }, set] = useSearchState(parameters)
  const { data: other } = useLead(compare)
  const list = usePagedList(leadsBy(filter))
  return (
    <>
      <PageHeader title="Leads">
        <Link className="button primary" to="../submit">
          Submit a lead
        </Link>
      </PageHeader>
      {compare && (
        <ChooseOther
          what={`a lead to compare with ${other?.email ?? shortId(compare)}`}
          onCancel={() => set({ compare: '' })}
        />
      )}
      <PagedTable
        label="Leads"
        columns={columns}
        list={list}
        filters={<LeadFilters value={filter} onChange={set} />}
        isFiltered={Object.values(filter).some(Boolean)}
        empty={{
          title: 'No leads yet',
          about:
            'Submit a test lead to see how the service decides, and why. Nothing here can reach a real advertiser.',
          to: '../submit',
          action: 'Submit a first lead',
        }}
      />
    </>
  )
}

/** Links to the previous and the next lead, in the list filtered as in the address. */
export function LeadSteps({ id }: { readonly id: string }) {
  const [{ compare: _, ...filter }] = useSearchState(parameters)
  const { data, hasNextPage, isFetching, fetchNextPage } = usePages(leadsBy(filter))
  const ids = data?.pages.flatMap(({ entries }) => entries.flatMap(({ lead_id = [] }) => lead_id)) ?? []
  const isAtEnd = ids.at(-1) === id && hasNextPage && !isFetching
  useEffect(() => {
    if (isAtEnd) void fetchNextPage()
  }, [isAtEnd, fetchNextPage])
  return <Steps list="leads" id={id} ids={ids} />
}

/** Returns the id of a lead, or of the request that created none. */
export const submissionId = ({ lead_id, request_id = '' }: ListedSubmission) => lead_id ?? request_id

const leadsBy = (filter: Filters): ListSource<ListedSubmission> => ({
  name: ['leads', filter],
  idOf: submissionId,
  read: (control, page) => pageOf('submissions', control.submissions.list({ ...leadFilter(filter), ...page })),
})

const columns: readonly Column<ListedSubmission>[] = [
  { id: 'status', header: 'Status', width: 118, cell: ({ status }) => <StatusBadge word={status} /> },
  { id: 'lead', header: 'Customer', minWidth: 220, cell: lead => <LeadLink lead={lead} /> },
  {
    id: 'outcome',
    header: 'Reason or advertiser',
    minWidth: 212,
    priority: 2,
    cell: submission => <Outcome of={submission} />,
  },
  { id: 'loan', header: 'Loan', width: 132, priority: 4, cell: loanOf },
  { id: 'product', header: 'Product', width: 140, priority: 5, cell: lead => <ProductName id={lead.product_id} /> },
  {
    id: 'received',
    header: 'Received (UTC)',
    width: 166,
    priority: 3,
    cell: ({ received_at }) => <Time at={received_at} precise />,
  },
]

function LeadLink({ lead }: { readonly lead: ListedSubmission }) {
  const { lead_id, request_id, email } = lead
  const [{ compare, customer }] = useSearchState(parameters)
  if (lead_id === undefined)
    return (
      <Link to={`../requests/${request_id}`} data-entry={request_id}>
        {email}
      </Link>
    )
  return (
    <>
      <EntryLink list="leads" id={lead_id} compare={compare}>
        {email}
      </EntryLink>
      {!email.includes(customer.toLowerCase()) && <span className="muted found">{formatCustomer(lead)}</span>}
    </>
  )
}

function ProductName({ id }: { readonly id: string }) {
  return useAccount().products.find(({ product_id }) => product_id === id)?.name ?? shortId(id)
}

/** Why a lead was rejected, or who accepted it, in a compact form. */
function Outcome({ of: submission }: { readonly of: ListedSubmission }) {
  return (
    <>
      {outcomeOf(submission)}
      {submission.lead_id === undefined && (
        <span className="muted" title="No lead was created">
          {' '}
          · no lead<span className="visually-hidden"> was created</span>
        </span>
      )}
    </>
  )
}

/** Describes why a lead was rejected, or who accepted it. */
export function outcomeOf({ rejection_reason, advertisers }: ListedSubmission): string {
  if (rejection_reason) return formatWord(rejection_reason)
  return advertisers.length > 0 ? advertisers.map(({ name }) => name).join(', ') : 'No advertiser accepted it'
}

function loanOf({ loan_amount, loan_term_months }: ListedSubmission): string {
  return `${formatEuros(loan_amount)} · ${loan_term_months} mo`
}
