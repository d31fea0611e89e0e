import { coverageJunit } from '@lead-distribution/contract/junit'
import type { TenantControl } from '@lead-distribution/control-client'
import { keepPreviousData } from '@tanstack/react-query'
import { Link } from 'react-router'
import { formatCount, formatWord } from '../data/format.ts'
import { filled } from '../data/input-values.ts'
import { keyOf, type LastSeen, lastSeen } from '../data/last-seen.ts'
import { useAction, useLeadContext, useRead, useTenant } from '../data/live.ts'
import { type CoverageItem, choiceFor, makeItHappen } from '../data/make-it-happen.ts'
import { sandbox } from '../data/sandbox.ts'
import { useSearchState } from '../data/search-state.ts'
import { DebouncedInput } from '../ui/debounced-input.tsx'
import { Badge, Card, ErrorNote, PageHeader, Time } from '../ui/elements.tsx'
import { Segments } from '../ui/forms.tsx'
import { saveFile } from '../ui/save-file.ts'
import './coverage.css'

/** The coverage of one tenant or, with their number, of several. */
type Seen = Awaited<ReturnType<TenantControl['coverage']>> & { readonly tenants?: number }

const scopes = [
  { value: '', label: 'This tenant' },
  { value: 'all', label: 'All tenants' },
] as const

const parameters = {
  scope: scopes.map(({ value }) => value),
  prefix: /^.{1,100}$/,
} as const

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
  const tenant = useTenant()
  const [{ scope, prefix }, set] = useSearchState(parameters)
  const { data, error } = useRead<Seen>(
    ['coverage', scope, prefix],
    control => (scope === 'all' ? sandbox.coverage(filled({ prefix })) : control.coverage()),
    { placeholderData: keepPreviousData },
  )
  const last = useRead(['coverage', 'last'], readLastSeen, { enabled: scope === '' })
  const kinds = Object.entries(Object.groupBy(data?.items ?? [], ({ kind }) => kind))
  const ofTenants = data?.tenants === undefined ? '' : ` by ${formatCount(data.tenants, 'tenant')}`
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
        <Segments label="Scope" value={scope} options={scopes} onChange={value => set({ scope: value })} />
        {scope === 'all' && (
          <DebouncedInput
            type="search"
            aria-label="Name prefix"
            placeholder="Name prefix"
            value={prefix}
            onSettle={text => set({ prefix: text.trim() })}
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
          <ul className="coverage-map tiles">
            {items.map(item => (
              <Cell key={item.name} item={item} last={scope === '' ? last.data?.get(keyOf(item)) : undefined} />
            ))}
          </ul>
        </Card>
      ))}
    </>
  )
}

const isSeen = ({ count }: CoverageItem) => count > 0

async function readLastSeen({ requests, callbacks }: TenantControl): Promise<ReadonlyMap<string, LastSeen>> {
  const [calls, sent] = await Promise.all([requests.list({ limit: searched }), callbacks.list({ limit: searched })])
  return lastSeen(calls.requests, sent.callbacks)
}

function Cell({ item, last }: { readonly item: CoverageItem; readonly last: LastSeen | undefined }) {
  const { name, count, how } = item
  const context = useLeadContext()
  const make = useAction(async control => context && makeItHappen(item, control, context))
  const choice = choiceFor(item)
  return (
    <li className={`framed stack ${count > 0 ? 'good' : 'plain'}`}>
      <div className="line ends">
        <code>{name}</code>
        <Badge tone={count > 0 ? 'good' : 'plain'}>{count}×</Badge>
      </div>
      {last ? (
        <span className="muted">
          Last{' '}
          <Link to={`../${last.path}`}>
            <Time at={last.at} />
          </Link>
        </span>
      ) : (
        count === 0 && <span className="muted">{how}</span>
      )}
      <ErrorNote error={make.error} />
      <div className="actions">
        <button type="button" className="small" disabled={make.isPending || !context} onClick={() => make.mutate()}>
          {make.isPending ? 'Sending…' : 'Make it happen'} <span className="visually-hidden">{name}</span>
        </button>
        {choice && (
          <Link to={`../submit?lead=${encodeURIComponent(choice.id)}`}>
            Open in Submit <span className="visually-hidden">{name}</span>
          </Link>
        )}
      </div>
    </li>
  )
}
