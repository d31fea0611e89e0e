import { coverageJunit } from '@lead-distribution/contract/junit'
import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { formatWord } from '../data/format.ts'
import { keyOf, type LastSeen, lastSeen } from '../data/last-seen.ts'
import { liveKey, useAccount, useAction, useClock } from '../data/live.ts'
import { type CoverageItem, choiceFor, makeItHappen } from '../data/make-it-happen.ts'
import { sandbox } from '../data/sandbox.ts'
import { filled, useSettled } from '../data/typed.ts'
import { Badge, Card, ErrorNote, PageHeader, Segments, Time } from '../ui/elements.tsx'
import { saveFile } from '../ui/save-file.ts'
import './coverage.css'

/** The coverage of one tenant or, with their number, of several. */
type Seen = Awaited<ReturnType<TenantControl['coverage']>> & { readonly tenants?: number }

const scopes = [
  { value: 'tenant', label: 'This tenant' },
  { value: 'all', label: 'All tenants' },
] as const

/** The number of newest calls and of callbacks that are searched for when an item was last seen. */
const searched = 200

const kindTitles: Readonly<Record<string, string>> = {
  outcome: 'Outcomes',
  reason: 'Rejection reasons',
  error: 'Errors',
  event: 'Events',
  callback: 'Callbacks',
}

/** A map of the outcomes, reasons, errors and events that tenants have seen, with a button that makes each happen. */
export function Coverage() {
  const { tenant = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const scope = search.get('scope') === 'all' ? 'all' : 'tenant'
  const [typed, setTyped] = useState(search.get('prefix') ?? '')
  const prefix = useSettled(typed.trim())
  const show = (next: typeof scope, of: string) =>
    setSearch(next === 'all' ? { scope: next, ...filled({ prefix: of }) } : {}, { replace: true })
  const { data, error } = useQuery({
    queryKey: liveKey(tenant, 'coverage', scope, prefix),
    queryFn: (): Promise<Seen> =>
      scope === 'tenant' ? sandbox.control(tenant).coverage() : sandbox.coverage(filled({ prefix })),
    placeholderData: previous => previous,
  })
  const last = useQuery({
    queryKey: liveKey(tenant, 'coverage', 'last'),
    queryFn: () => readLastSeen(tenant),
    enabled: scope === 'tenant',
  })
  const kinds = Object.entries(Object.groupBy(data?.items ?? [], ({ kind }) => kind))
  const ofTenants =
    data?.tenants === undefined ? '' : ` by ${data.tenants} ${data.tenants === 1 ? 'tenant' : 'tenants'}`
  return (
    <>
      <PageHeader
        title="Coverage"
        about={`The outcomes, reasons, errors and events that your tests have seen. Make the rest happen in the tenant ${tenant}.`}
      >
        <button
          type="button"
          disabled={!data}
          onClick={() => data && saveFile('coverage.xml', coverageJunit(data.items), 'application/xml')}
        >
          Download as JUnit
        </button>
      </PageHeader>
      <div className="toolbar">
        <Segments label="Scope" value={scope} options={scopes} onChange={next => show(next, typed)} />
        {scope === 'all' && (
          <input
            type="search"
            aria-label="Name prefix"
            placeholder="Name prefix"
            value={typed}
            onChange={event => {
              setTyped(event.target.value)
              show(scope, event.target.value)
            }}
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
        <Card
          key={kind}
          title={`${kindTitles[kind] ?? formatWord(kind)}: ${items.filter(isSeen).length} of ${items.length}`}
        >
          <ul className="coverage-map">
            {items.map(item => (
              <Cell
                key={item.name}
                tenant={tenant}
                item={item}
                last={scope === 'tenant' ? last.data?.get(keyOf(item)) : undefined}
              />
            ))}
          </ul>
        </Card>
      ))}
    </>
  )
}

const isSeen = ({ count }: CoverageItem) => count > 0

async function readLastSeen(tenant: string): Promise<ReadonlyMap<string, LastSeen>> {
  const { requests, callbacks } = sandbox.control(tenant)
  const [calls, sent] = await Promise.all([requests.list({ limit: searched }), callbacks.list({ limit: searched })])
  return lastSeen(calls.requests, sent.callbacks)
}

function Cell(props: { readonly tenant: string; readonly item: CoverageItem; readonly last: LastSeen | undefined }) {
  const { tenant, item, last } = props
  const { name, count, how } = item
  const { data: account } = useAccount(tenant)
  const { data: clock } = useClock(tenant)
  const make = useAction(tenant, async () => {
    if (!account || !clock) throw new Error("The tenant isn't loaded yet. Try again.")
    await makeItHappen(item, { tenant, account, today: new Date(clock.now) })
  })
  const choice = choiceFor(item)
  return (
    <li className={count > 0 ? 'seen' : ''}>
      <div className="what">
        <code className="name">{name}</code>
        <Badge tone={count > 0 ? 'good' : 'plain'}>{count}×</Badge>
      </div>
      {last ? (
        <span className="muted">
          Last{' '}
          <Link to={`/${tenant}/${last.path}`}>
            <Time at={last.at} />
          </Link>
        </span>
      ) : (
        count === 0 && <span className="how muted">{how}</span>
      )}
      <ErrorNote error={make.error} />
      <div className="actions">
        <button type="button" className="small" disabled={make.isPending || !account} onClick={() => make.mutate()}>
          {make.isPending ? 'Sending…' : 'Make it happen'} <span className="visually-hidden">{name}</span>
        </button>
        {choice && (
          <Link to={`/${tenant}/submit?lead=${encodeURIComponent(choice.id)}`}>
            Open in Submit <span className="visually-hidden">{name}</span>
          </Link>
        )}
      </div>
    </li>
  )
}
