import { coverageJunit } from '@lead-distribution/contract/junit'
import type { TenantControl } from '@lead-distribution/control-client'
import { keepPreviousData } from '@tanstack/react-query'
import { Link } from 'react-router'
import { type CoverageItem, keyOf, type LastSeen, lastSeen, wayToSee } from '../data/coverage.ts'
import { formatCount, formatWord } from '../data/format.ts'
import { filled } from '../data/input-values.ts'
import { useAccount, useRead, useSession } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { useSearchState } from '../data/search-state.ts'
import { coverageTestOf } from '../data/snippets.ts'
import { CopyButton } from '../ui/copy-button.tsx'
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

const origins = [
  { value: '', label: 'Your integration' },
  { value: 'console', label: 'The console' },
  { value: 'command-line', label: 'The command line' },
] as const

const parameters = {
  scope: scopes.map(({ value }) => value),
  /** Whose requests are counted. */
  origin: origins.map(({ value }) => value),
  prefix: /^.{1,100}$/,
} as const

/** The number of newest requests and of callbacks that are searched for when an item was last seen. */
const searched = 200

const kindTitles: Readonly<Record<string, string>> = {
  outcome: 'Outcomes',
  reason: 'Rejection reasons',
  error: 'Errors',
  event: 'Events',
  callback: 'Callbacks',
}

/** A map of the outcomes, reasons, errors and events that tenants have produced, with links that produce each one. */
export function Coverage() {
  const [{ scope, origin, prefix }, set] = useSearchState(parameters)
  const { data, error } = useRead<Seen>(
    ['coverage', scope, origin, prefix],
    control => (scope === 'all' ? sandbox.coverage(filled({ origin, prefix })) : control.coverage(filled({ origin }))),
    { placeholderData: keepPreviousData },
  )
  const last = useRead(['coverage', 'last', origin], control => readLastSeen(control, origin), {
    enabled: scope === '',
  })
  const items = data?.items ?? []
  const kinds = Object.entries(Object.groupBy(items, ({ kind }) => kind))
  const ofTenants = data?.tenants === undefined ? '' : ` by ${formatCount(data.tenants, 'tenant')}`
  return (
    <>
      <PageHeader
        title="Coverage"
        about="The outcomes, reasons, errors and events that your integration has seen. What the console and the command line do is counted apart."
      >
        {origin === '' && (
          <button
            type="button"
            disabled={!data}
            onClick={() => data && saveFile('coverage.xml', coverageJunit(data.items), 'application/xml')}
          >
            Download as JUnit
          </button>
        )}
      </PageHeader>
      <div className="actions">
        <Segments label="Scope" value={scope} options={scopes} onChange={value => set({ scope: value })} />
        <Segments label="Seen by" value={origin} options={origins} onChange={value => set({ origin: value })} />
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
          <div className="stack">
            <progress className="meter" aria-label="Seen" value={data.seen} max={data.total} />
            <p className="muted">
              {kinds
                .map(([kind, of = []]) => `${titleOf(kind)} ${of.filter(isSeen).length} of ${of.length}`)
                .join(' · ')}
            </p>
          </div>
        </Card>
      )}
      <ul className="coverage-map tiles" aria-label="What can be seen, gaps first">
        {items.toSorted(gapsFirst).map(item => (
          <Cell key={keyOf(item)} item={item} last={scope === '' ? last.data?.get(keyOf(item)) : undefined} />
        ))}
      </ul>
    </>
  )
}

const titleOf = (kind: string) => kindTitles[kind] ?? formatWord(kind)

const isSeen = ({ count }: CoverageItem) => count > 0

const gapsFirst = (one: CoverageItem, other: CoverageItem) => Number(isSeen(one)) - Number(isSeen(other))

async function readLastSeen(
  { requests, callbacks }: TenantControl,
  origin: string,
): Promise<ReadonlyMap<string, LastSeen>> {
  const [entries, sent] = await Promise.all([requests.list({ limit: searched }), callbacks.list({ limit: searched })])
  const isSeen = (each: { readonly origin?: string | undefined }) => (each.origin ?? '') === origin
  return lastSeen(
    entries.requests.filter(entry => isSeen(entry) && !entry.resent),
    sent.callbacks.filter(isSeen),
  )
}

function Cell({ item, last }: { readonly item: CoverageItem; readonly last: LastSeen | undefined }) {
  const { kind, name, count, how } = item
  const account = useAccount()
  const way = wayToSee(item, account)
  const requiresToken = useSession().data?.requires_token ?? false
  const test = count === 0 ? coverageTestOf(item, { baseUrl: account.base_url, requiresToken }) : undefined
  return (
    <li className={`framed stack ${count > 0 ? 'good' : 'plain'}`}>
      <div className="line ends">
        <span>
          <span className="muted">{formatWord(kind)}</span> <code>{name}</code>
        </span>
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
      <div className="line ends">
        {way && (
          <Link to={`../${way.path}`}>
            {way.label} <span className="visually-hidden">{name}</span>
          </Link>
        )}
        {test !== undefined && <CopyButton small label="Copy as test" of={name} text={() => test} />}
      </div>
    </li>
  )
}
