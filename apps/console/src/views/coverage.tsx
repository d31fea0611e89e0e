import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { formatWord } from '../data/format.ts'
import { liveKey } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { filled, useSettled } from '../data/typed.ts'
import { Badge, Card, ErrorNote, PageHeader, Segments } from '../ui/elements.tsx'

/** The coverage of one tenant or, with their number, of several. */
type Seen = Awaited<ReturnType<TenantControl['coverage']>> & { readonly tenants?: number }
type Item = Seen['items'][number]

const scopes = [
  { value: 'tenant', label: 'This tenant' },
  { value: 'all', label: 'All tenants' },
] as const

/** The outcomes, reasons, errors and events that tenants have seen, and how to reach the others. */
export function Coverage() {
  const { tenant = '' } = useParams()
  const [scope, setScope] = useState<(typeof scopes)[number]['value']>('tenant')
  const [typed, setTyped] = useState('')
  const prefix = useSettled(typed.trim())
  const { data, error } = useQuery({
    queryKey: liveKey(tenant, 'coverage', scope, prefix),
    queryFn: (): Promise<Seen> =>
      scope === 'tenant' ? sandbox.control(tenant).coverage() : sandbox.coverage(filled({ prefix })),
    placeholderData: previous => previous,
  })
  const kinds = Object.entries(Object.groupBy(data?.items ?? [], ({ kind }) => kind))
  const ofTenants =
    data?.tenants === undefined ? '' : ` by ${data.tenants} ${data.tenants === 1 ? 'tenant' : 'tenants'}`
  return (
    <>
      <PageHeader
        title="Coverage"
        about="The outcomes, reasons, errors and events that your tests have seen, and how to reach the rest."
      />
      <div className="toolbar">
        <Segments label="Scope" value={scope} options={scopes} onChange={setScope} />
        {scope === 'all' && (
          <input
            type="search"
            aria-label="Name prefix"
            placeholder="Name prefix"
            value={typed}
            onChange={event => setTyped(event.target.value)}
          />
        )}
      </div>
      <ErrorNote error={error} />
      {data && (
        <Card title={`${data.seen} of ${data.total} seen${ofTenants}`}>
          <progress className="meter" aria-label="Seen" value={data.seen} max={data.total} />
        </Card>
      )}
      {kinds.map(([kind, items = []]) => (
        <CoverageCard key={kind} kind={kind} items={items} />
      ))}
    </>
  )
}

function CoverageCard({ kind, items }: { readonly kind: string; readonly items: readonly Item[] }) {
  const seen = items.filter(({ count }) => count > 0).length
  return (
    <Card title={`${formatWord(kind)}: ${seen} of ${items.length}`} flush>
      <ul className="items">
        {items.map(({ name, count, how }) => (
          <li key={name}>
            <code className="name">{name}</code>
            {count === 0 && <span className="grow muted">{how}</span>}
            <span className="end">{count > 0 ? <Badge tone="good">{count}×</Badge> : <Badge>Not seen</Badge>}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
