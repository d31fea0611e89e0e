import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatEuros, formatWord, shortId } from '../data/format.ts'
import { useAccount } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { filled, useSettled } from '../data/typed.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { Empty, PageHeader, Segments, StatusBadge, Time } from '../ui/elements.tsx'

/** The filters as text. An empty filter matches everything. */
interface FilterTexts {
  readonly status: string
  readonly reason: string
  readonly product_id: string
  readonly email_part: string
  readonly from: string
  readonly to: string
}

/** Matches every lead. */
const noFilter: FilterTexts = { status: '', reason: '', product_id: '', email_part: '', from: '', to: '' }

type LeadFilter = NonNullable<Parameters<TenantControl['leads']['list']>[0]>

/** Converts the filters for the control plane. Times are in UTC, like all times on the page. */
function leadFilter({ from, to, ...texts }: FilterTexts): LeadFilter {
  return filled({ ...texts, from: from && `${from}:00Z`, to: to && `${to}:00Z` })
}

const statuses = [{ value: '', label: 'All' }, ...leadStatuses.map(value => ({ value, label: formatWord(value) }))]

/** The filters of the list of leads. */
function LeadFilters(props: {
  readonly tenant: string
  readonly value: FilterTexts
  readonly onChange: (value: FilterTexts) => void
}) {
  const { value, onChange } = props
  const { data: account } = useAccount(props.tenant)
  const set = (change: Partial<FilterTexts>) => onChange({ ...value, ...change })
  return (
    <>
      <Segments label="Status" value={value.status} options={statuses} onChange={status => set({ status })} />
      <input
        type="search"
        aria-label="E-mail address"
        placeholder="Part of the e-mail address"
        value={value.email_part}
        onChange={event => set({ email_part: event.target.value })}
      />
      <details className="more-filters">
        <summary>More filters</summary>
        <div className="toolbar">
          <select aria-label="Reason" value={value.reason} onChange={event => set({ reason: event.target.value })}>
            <option value="">Any reason</option>
            {rejectionReasons.map(reason => (
              <option key={reason} value={reason}>
                {formatWord(reason)}
              </option>
            ))}
          </select>
          <select
            aria-label="Product"
            value={value.product_id}
            onChange={event => set({ product_id: event.target.value })}
          >
            <option value="">Any product</option>
            {account?.products.map(({ product_id, name }) => (
              <option key={product_id} value={product_id}>
                {name}
              </option>
            ))}
          </select>
          <label>
            From <span className="visually-hidden">UTC</span>
            <input type="datetime-local" value={value.from} onChange={event => set({ from: event.target.value })} />
          </label>
          <label>
            To <span className="visually-hidden">UTC</span>
            <input type="datetime-local" value={value.to} onChange={event => set({ to: event.target.value })} />
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
  const [typed, setTyped] = useState(noFilter)
  const filter = useSettled(typed)
  const list = usePagedList(tenant, ['leads', filter], leadId, async page => {
    const { leads, next } = await sandbox.control(tenant).leads.list({ ...leadFilter(filter), ...page })
    return { entries: leads, next }
  })
  const columns = useColumns(tenant)
  return (
    <>
      <PageHeader title="Leads">
        <Link className="button primary" to={`/${tenant}/submit`}>
          Submit a lead
        </Link>
      </PageHeader>
      <PagedTable
        label="Leads"
        columns={columns}
        list={list}
        filters={<LeadFilters tenant={tenant} value={typed} onChange={setTyped} />}
        empty={<NoLeads tenant={tenant} isFiltered={Object.values(filter).some(Boolean)} />}
      />
    </>
  )
}

type Lead = Awaited<ReturnType<TenantControl['leads']['list']>>['leads'][number]

const leadId = ({ lead_id }: Lead) => lead_id

function useColumns(tenant: string): readonly Column<Lead>[] {
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
        cell: ({ lead_id, email }) => <Link to={`/${tenant}/leads/${lead_id}`}>{email}</Link>,
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
  }, [account, tenant])
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
