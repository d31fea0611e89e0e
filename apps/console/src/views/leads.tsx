import { useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatEuros, formatWord, shortId } from '../data/format.ts'
import { emailOf, type Lead } from '../data/lead-timeline.ts'
import { useAccount } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { useSettled } from '../data/typed.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { Empty, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { LeadFilters, leadFilter, noFilter } from './lead-filters.tsx'

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

const leadId = ({ lead_id }: Lead) => lead_id

function useColumns(tenant: string): readonly Column<Lead>[] {
  const { data: account } = useAccount(tenant)
  return useMemo(() => {
    const productName = (id: string) =>
      account?.products.find(({ product_id }) => product_id === id)?.name ?? shortId(id)
    return [
      { id: 'status', header: 'Status', width: 118, cell: ({ row }) => <StatusBadge word={row.original.status} /> },
      {
        id: 'lead',
        header: 'Customer',
        cell: ({ row: { original: lead } }) => (
          <>
            <Link to={`/${tenant}/leads/${lead.lead_id}`}>{emailOf(lead) ?? shortId(lead.lead_id)}</Link>
            <div className="narrow-only second-line">{outcomeOf(lead)}</div>
          </>
        ),
      },
      {
        id: 'outcome',
        header: 'Reason or advertiser',
        wideOnly: true,
        cell: ({ row: { original: lead } }) => outcomeOf(lead),
      },
      { id: 'loan', header: 'Loan', width: 150, wideOnly: true, cell: ({ row }) => loanOf(row.original) },
      {
        id: 'product',
        header: 'Product',
        width: 140,
        wideOnly: true,
        cell: ({ row }) => productName(row.original.product_id),
      },
      {
        id: 'received',
        header: 'Received (UTC)',
        wideOnly: true,
        width: 164,
        cell: ({ row }) => <Time at={row.original.received_at} />,
      },
    ]
  }, [account, tenant])
}

function outcomeOf({ rejection_reason, deliveries }: Lead): string {
  if (rejection_reason) return formatWord(rejection_reason)
  const holders = deliveries.filter(({ decision }) => decision === 'accepted').map(({ name }) => name)
  return holders.length > 0 ? holders.join(', ') : 'No advertiser accepted it'
}

function loanOf({ submission }: Lead): string {
  const { loan_amount, loan_term_months } = Object(submission.product_data)
  return `${formatEuros(Number(loan_amount))} · ${loan_term_months} mo`
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
