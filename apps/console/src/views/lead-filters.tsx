import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { formatWord } from '../data/format.ts'
import { useAccount } from '../data/live.ts'
import { filled } from '../data/typed.ts'
import { Segments } from '../ui/elements.tsx'

/** What is typed and chosen; a filter that is empty filters nothing. */
interface FilterTexts {
  readonly status: string
  readonly reason: string
  readonly product_id: string
  readonly email_part: string
  readonly from: string
  readonly to: string
}

/** Every lead. */
export const noFilter: FilterTexts = { status: '', reason: '', product_id: '', email_part: '', from: '', to: '' }

type LeadFilter = NonNullable<Parameters<TenantControl['leads']['list']>[0]>

/** The filter of the control plane. Its times are in UTC, as all that the page shows. */
export function leadFilter({ from, to, ...texts }: FilterTexts): LeadFilter {
  return filled({ ...texts, from: from && `${from}:00Z`, to: to && `${to}:00Z` })
}

const statuses = [{ value: '', label: 'All' }, ...leadStatuses.map(value => ({ value, label: formatWord(value) }))]

/** The filters of the list of leads. */
export function LeadFilters(props: {
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
            to <span className="visually-hidden">UTC</span>
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
