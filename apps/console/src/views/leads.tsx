import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { useId, useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatEuros, formatWord, shortId } from '../data/format.ts'
import { useAccount, useLead } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { useSearchState, uuidPattern, type ValuesOf } from '../data/search-state.ts'
import { filled } from '../data/typed.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { Empty, PageHeader, Segments, StatusBadge, Time } from '../ui/elements.tsx'
import { SettledInput } from '../ui/settled-input.tsx'
import { ChooseOther } from './list-filters.tsx'

/** A time in UTC, like all times on the page: to the minute, as the inputs have it, or a full date-time. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?Z)?$/

const lengthToMinute = 'YYYY-MM-DDTHH:MM'.length

const parameters = {
  status: leadStatuses,
  reason: rejectionReasons,
  product_id: uuidPattern,
  email_part: /^.{1,254}$/,
  from: time,
  to: time,
  /** The lead that the next chosen one is compared with. */
  compare: uuidPattern,
} as const

type Filters = Omit<ValuesOf<typeof parameters>, 'compare'>

type LeadFilter = NonNullable<Parameters<TenantControl['leads']['list']>[0]>

/** Converts the filters for the control plane. */
function leadFilter({ from, to, ...texts }: Filters): LeadFilter {
  const full = (text: string) => (text.length === lengthToMinute ? `${text}:00Z` : text)
  return filled({ ...texts, from: full(from), to: full(to) })
}

/** Matches every lead. */
const noFilter: Filters = { status: '', reason: '', product_id: '', email_part: '', from: '', to: '' }

const statuses = [
  { value: '' as const, label: 'All' },
  ...leadStatuses.map(value => ({ value, label: formatWord(value) })),
]

/** The filters of the list of leads. */
function LeadFilters(props: {
  readonly tenant: string
  readonly value: Filters
  readonly onChange: (change: Partial<Filters>) => void
}) {
  const { value, onChange } = props
  const { data: account } = useAccount(props.tenant)
  const { status, email_part, ...more } = value
  const id = useId()
  const [isOpen] = useState(Object.values(more).some(Boolean))
  return (
    <>
      <Segments label="Status" value={status} options={statuses} onChange={chosen => onChange({ status: chosen })} />
      <SettledInput
        type="search"
        aria-label="E-mail address"
        placeholder="Part of the e-mail address"
        value={email_part}
        onSettle={text => onChange({ email_part: text })}
      />
      <details className="more-filters" open={isOpen}>
        <summary>More filters</summary>
        <div className="toolbar">
          <select
            aria-label="Reason"
            value={more.reason}
            onChange={event => onChange({ reason: event.target.value as Filters['reason'] })}
          >
            <option value="">Any reason</option>
            {rejectionReasons.map(reason => (
              <option key={reason} value={reason}>
                {formatWord(reason)}
              </option>
            ))}
          </select>
          <select
            aria-label="Product"
            value={more.product_id}
            onChange={event => onChange({ product_id: event.target.value })}
          >
            <option value="">Any product</option>
            {account?.products.map(({ product_id, name }) => (
              <option key={product_id} value={product_id}>
                {name}
              </option>
            ))}
          </select>
          <label htmlFor={`${id}-from`}>
            From <span className="visually-hidden">UTC</span>
            <SettledInput
              id={`${id}-from`}
              type="datetime-local"
              value={more.from.slice(0, lengthToMinute)}
              onSettle={text => onChange({ from: text })}
            />
          </label>
          <label htmlFor={`${id}-to`}>
            To <span className="visually-hidden">UTC</span>
            <SettledInput
              id={`${id}-to`}
              type="datetime-local"
              value={more.to.slice(0, lengthToMinute)}
              onSettle={text => onChange({ to: text })}
            />
          </label>
          <span className="muted">UTC</span>
          <button type="button" onClick={() => onChange(noFilter)}>
            Clear
          </button>
        </div>
      </details>
    </>
  )
}

/** All leads of a tenant, newest first. */
export function Leads() {
  const { tenant = '' } = useParams()
  const [{ compare, ...filter }, set] = useSearchState(parameters)
  const { data: other } = useLead(tenant, compare)
  const list = usePagedList(tenant, ['leads', filter], leadId, async page => {
    const { leads, next } = await sandbox.control(tenant).leads.list({ ...leadFilter(filter), ...page })
    return { entries: leads, next }
  })
  const columns = useColumns(tenant, compare)
  return (
    <>
      <PageHeader title="Leads">
        <Link className="button primary" to={`/${tenant}/submit`}>
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
        filters={<LeadFilters tenant={tenant} value={filter} onChange={set} />}
        empty={<NoLeads tenant={tenant} isFiltered={Object.values(filter).some(Boolean)} />}
      />
    </>
  )
}

type Lead = Awaited<ReturnType<TenantControl['leads']['list']>>['leads'][number]

const leadId = ({ lead_id }: Lead) => lead_id

function useColumns(tenant: string, compare: string): readonly Column<Lead>[] {
  const { data: account } = useAccount(tenant)
  return useMemo(() => {
    const productName = (id: string) =>
      account?.products.find(({ product_id }) => product_id === id)?.name ?? shortId(id)
    return [
      { id: 'status', header: 'Status', width: 118, cell: ({ status }) => <StatusBadge word={status} /> },
      {
        id: 'lead',
        header: 'Customer',
        minWidth: 260,
        cell: ({ lead_id, email }) => (
          <Link to={compare ? `/${tenant}/compare/leads/${compare}/${lead_id}` : `/${tenant}/leads/${lead_id}`}>
            {email}
          </Link>
        ),
      },
      { id: 'outcome', header: 'Reason or advertiser', minWidth: 180, priority: 2, cell: outcomeOf },
      { id: 'loan', header: 'Loan', width: 146, priority: 4, cell: loanOf },
      {
        id: 'product',
        header: 'Product',
        width: 140,
        priority: 5,
        cell: ({ product_id }) => productName(product_id),
      },
      {
        id: 'received',
        header: 'Received (UTC)',
        width: 146,
        priority: 3,
        cell: ({ received_at }) => <Time at={received_at} />,
      },
    ]
  }, [account, tenant, compare])
}

function outcomeOf({ rejection_reason, advertisers }: Lead): string {
  if (rejection_reason) return formatWord(rejection_reason)
  return advertisers.length > 0 ? advertisers.map(({ name }) => name).join(', ') : 'No advertiser accepted it'
}

function loanOf({ loan_amount, loan_term_months }: Lead): string {
  return `${formatEuros(loan_amount)} · ${loan_term_months} mo`
}

function NoLeads({ tenant, isFiltered }: { readonly tenant: string; readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No leads match" about="Change or clear the filters." />
  return (
    <Empty
      title="No leads yet"
      about="Submit a test lead to see how the service decides, and why. Nothing here can reach a real advertiser."
    >
      <Link className="button primary" to={`/${tenant}/submit`}>
        Submit a first lead
      </Link>
    </Empty>
  )
}
