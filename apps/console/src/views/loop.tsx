import type { TenantControl } from '@lead-distribution/control-client'
import { pagePaths } from '@lead-distribution/simulator/urls'
import { type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import type { Fault, ListedSubmission } from '../data/entries.ts'
import { formatCount, formatWord } from '../data/format.ts'
import { useLastAttempt } from '../data/last-attempt.ts'
import { useAccount, useActiveFaults, useLead, useRead, useReadOnly } from '../data/live.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Badge, HttpStatus, Time } from '../ui/elements.tsx'
import { lazyView } from '../ui/lazy-view.ts'
import './loop.css'

/** Loaded once an advertiser has a lead. */
const AdvertiserPageLink = lazyView(async () => (await import('./advertiser-page.tsx')).AdvertiserPageLink)

type Activity = Awaited<ReturnType<TenantControl['activity']>>

/** The loop of a lead and its callback: four stations, each with its address and state. */
export function Loop(props: {
  readonly activity: Activity
  /** The name of the period, such as `last hour`. */
  readonly period: string
  /** The newest submission; null if there is none. */
  readonly newest: ListedSubmission | null
}) {
  const { activity, period, newest } = props
  const account = useAccount()
  const active = useActiveFaults()
  const isOfCallbacks = ({ match }: Fault) => match.operation === 'callback'
  return (
    <ol className="loop" aria-label="The loop of a lead">
      <Station name="Publisher" address={account.publisher.publisher_id} called="Publisher ID">
        {newest ? (
          <Link to="../leads">
            Last submission <Time at={newest.received_at} />
          </Link>
        ) : (
          <span className="muted">No submission yet</span>
        )}
      </Station>
      <Station name="Service" address={account.base_url} called="Base URL">
        <Received activity={activity} period={period} />
        <ActiveFaults faults={active.filter(fault => !isOfCallbacks(fault))} />
      </Station>
      <Advertiser hasLeads={newest !== null} />
      <Station
        name="Callback"
        address={account.listener?.forward_to ?? account.publisher.callback_url}
        called="Receiver"
        isSecret
      >
        <Receiver callbacks={activity.callbacks} period={period} />
        <ActiveFaults faults={active.filter(isOfCallbacks)} />
      </Station>
    </ol>
  )
}

function Station(props: {
  readonly name: string
  readonly address?: string | undefined
  /** The name of the address. */
  readonly called: string
  /** True if the sandbox hides the address from a read-only token. */
  readonly isSecret?: boolean
  readonly children: ReactNode
}) {
  const { name, address, called, isSecret, children } = props
  const readOnly = useReadOnly()
  return (
    <li className="framed">
      <div className="line ends">
        <h2>{name}</h2>
        {address !== undefined && (
          <CopyButton bare denied={isSecret ? readOnly : undefined} label={`Copy: ${called}`} text={() => address} />
        )}
      </div>
      {address !== undefined && <code title={`${called}: ${address}`}>{address}</code>}
      <div className="actions">{children}</div>
    </li>
  )
}

function Received({ activity, period }: { readonly activity: Activity; readonly period: string }) {
  const { spans, since } = activity.submissions
  const count = spans.reduce((sum, span) => sum + span.new + span.distributed + span.rejected, 0)
  const { from, to } = activity
  if (count === 0) return <span className="muted">No submissions in the {period}</span>
  return (
    <Link to={`../leads?${new URLSearchParams({ from, to })}`}>
      {since && 'At least '}
      {formatCount(count, 'submission')} in the {period}
    </Link>
  )
}

/** Shows the page of the newest distributed lead's advertiser, and the advertiser's back end if it has one. */
function Advertiser({ hasLeads }: { readonly hasLeads: boolean }) {
  const newest = useRead(
    ['leads', 'distributed'],
    async control => (await control.leads.list({ status: 'distributed', limit: 1 })).leads[0] ?? null,
    { enabled: hasLeads },
  )
  const { data: lead } = useLead(newest.data?.lead_id ?? '')
  const { advertisers } = useAccount()
  const backend = advertisers.find(({ backend_url }) => backend_url !== undefined)?.backend_url
  return (
    <Station
      name="Advertiser"
      address={backend ?? lead?.redirect_url}
      called={backend ? 'Back end' : 'Page of the newest distributed lead'}
      isSecret={backend !== undefined}
    >
      <Suspense fallback={null}>{lead?.redirect_url && <AdvertiserPageLink url={lead.redirect_url} />}</Suspense>
      {advertisers.length === 0 ? (
        <Link to="../account">Add an advertiser</Link>
      ) : (
        backend === undefined && <Link to="../account">Set up a back end</Link>
      )}
    </Station>
  )
}

const states = ['pending', 'delivered', 'failed'] as const

function Receiver(props: {
  readonly callbacks: Activity['callbacks']
  /** The name of the period, for the callbacks that are no longer pending. */
  readonly period: string
}) {
  const { callbacks, period } = props
  const last = useLastAttempt()
  const { tenant, publisher, listener, callbacks_held } = useAccount()
  const isInbox = !listener && publisher.callback_url.endsWith(pagePaths.inbox.replace(':tenant', tenant))
  return (
    <>
      {states.map(state => (
        <Link
          key={state}
          to={`../callbacks?state=${state}`}
          className={callbacks[state] > 0 && state === 'failed' ? 'problem' : ''}
        >
          {formatWord(state)} {callbacks[state]}
        </Link>
      ))}
      <span className="muted">
        {callbacks.since ? (
          <>
            since <Time at={callbacks.since} />
          </>
        ) : (
          `in the ${period}`
        )}
      </span>
      {last?.attempt && (
        <span>
          {last.name} <HttpStatus status={last.attempt.status ?? 0} />
        </span>
      )}
      {(callbacks_held || listener?.connected === false) && <Badge tone="warn">Held</Badge>}
      {isInbox && <Link to="../callbacks?part=receiver">Set up your receiver</Link>}
    </>
  )
}

function ActiveFaults({ faults }: { readonly faults: readonly Fault[] }) {
  if (faults.length === 0) return null
  return (
    <Link to="../faults">
      <Badge tone="warn">{formatCount(faults.length, 'active fault')}</Badge>
    </Link>
  )
}
