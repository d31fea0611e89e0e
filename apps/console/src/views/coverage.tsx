import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { formatWord } from '../data/format.ts'
import { liveKey } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, Card, ErrorNote, PageHeader } from '../ui/elements.tsx'

type Item = Awaited<ReturnType<TenantControl['coverage']>>['items'][number]

/** Which outcomes, reasons, errors and events the tenant has seen, and how to see the others. */
export function Coverage() {
  const { tenant = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: liveKey(tenant, 'coverage'),
    queryFn: () => sandbox.control(tenant).coverage(),
  })
  if (!data) return <ErrorNote error={error} />
  const kinds = Object.entries(Object.groupBy(data.items, ({ kind }) => kind))
  return (
    <>
      <PageHeader
        title="Coverage"
        about="Which outcomes, reasons, errors and events your tests have seen, and how to see the others."
      />
      <Card title={`${data.seen} of ${data.total} seen`}>
        <progress className="meter" aria-label="Seen" value={data.seen} max={data.total} />
      </Card>
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
            <code>{name}</code>
            {count === 0 && <span className="muted">{how}</span>}
            <span className="end">{count > 0 ? <Badge tone="good">{count}×</Badge> : <Badge>Not seen</Badge>}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
