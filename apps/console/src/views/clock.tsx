import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatHold, shortId } from '../data/format.ts'
import { useAction, useClock } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { usePast, useUpcoming } from '../data/timed-entries.ts'
import { Badge, Card, ErrorNote, Field, PageHeader, Time } from '../ui/elements.tsx'
import { TimeLine } from './time-line.tsx'
import './clock.css'

const steps = [
  { by: 'PT1M', label: '1 minute' },
  { by: 'PT1H', label: '1 hour' },
  { by: 'P1D', label: '1 day' },
  { by: 'P30D', label: '30 days' },
] as const

/** The tenant's clock as a time line: what happened, now, and everything that waits for it. */
export function ClockPage() {
  const { tenant = '' } = useParams()
  const { data: clock } = useClock(tenant)
  const control = sandbox.control(tenant)
  const change = useAction(tenant, (to: 'freeze' | 'resume') => control.clock[to]())
  const advance = useAction(tenant, (duration: string) => control.clock.advance({ by: duration }))
  const past = usePast(tenant)
  const upcoming = useUpcoming(tenant)
  if (!clock) return null
  const isFrozen = clock.mode === 'frozen'
  const goTo = (at: string) => advance.mutate(durationUntil(at, clock.now))
  return (
    <>
      <PageHeader
        title="Clock"
        about="This tenant's time. Callback retries, scheduled events and duplicate windows run on it."
      />
      <div className="columns">
        <Card title="Now" actions={<Badge tone={isFrozen ? 'info' : 'good'}>{isFrozen ? 'Frozen' : 'Running'}</Badge>}>
          <p className="clock">
            <time dateTime={clock.now}>{clock.now.slice(0, 19).replace('T', ' ')}</time>
          </p>
          <p className="muted">UTC</p>
          <div className="actions">
            <button type="button" disabled={isFrozen} onClick={() => change.mutate('freeze')}>
              Freeze
            </button>
            <button type="button" disabled={!isFrozen} onClick={() => change.mutate('resume')}>
              Resume
            </button>
          </div>
        </Card>
        <Advance tenant={tenant} now={clock.now} advance={advance} />
      </div>
      <Card title="Time line">
        <TimeLine
          tenant={tenant}
          now={clock.now}
          past={past.entries}
          due={upcoming.entries}
          more={upcoming.more}
          isGoing={advance.isPending}
          onGo={goTo}
        />
      </Card>
      <div className="columns">
        <DueNext tenant={tenant} upcoming={upcoming} isGoing={advance.isPending} onGo={goTo} />
        <Past tenant={tenant} {...past} />
      </div>
    </>
  )
}

/** Returns the duration from now to a time, at least a millisecond. */
function durationUntil(at: string, now: string): string {
  return `PT${Math.max(1, Date.parse(at) - Date.parse(now)) / 1_000}S`
}

function Advance(props: {
  readonly tenant: string
  readonly now: string
  readonly advance: {
    mutate(duration: string): void
    readonly isPending: boolean
    readonly error: unknown
    readonly data: { readonly executed: number; readonly pending: number } | undefined
  }
}) {
  const { tenant, now, advance } = props
  const [by, setBy] = useState('')
  const [to, setTo] = useState('')
  const set = useAction(tenant, (time: string) => sandbox.control(tenant).clock.set(time), 'The clock is set.')
  return (
    <Card title="Advance">
      <div className="actions">
        {steps.map(step => (
          <button key={step.by} type="button" disabled={advance.isPending} onClick={() => advance.mutate(step.by)}>
            + {step.label}
          </button>
        ))}
      </div>
      <form
        className="actions"
        onSubmit={event => {
          event.preventDefault()
          advance.mutate(by)
        }}
      >
        <input
          aria-label="Duration"
          placeholder="P1DT12H"
          required
          value={by}
          onChange={event => setBy(event.target.value)}
        />
        <button type="submit">Advance</button>
      </form>
      <Field label="Or set it forward to" hint="A date-time with a time zone.">
        {ids => (
          <div className="actions">
            <input {...ids} placeholder={now.slice(0, 19)} value={to} onChange={event => setTo(event.target.value)} />
            <button type="button" disabled={to === ''} onClick={() => set.mutate(to)}>
              Set
            </button>
          </div>
        )}
      </Field>
      <ErrorNote error={advance.error ?? set.error} />
      {advance.data && (
        <output className="note good">
          <p>
            {advance.data.executed} due {advance.data.executed === 1 ? 'job' : 'jobs'} ran in order.{' '}
            {advance.data.pending} {advance.data.pending === 1 ? 'is' : 'are'} still waiting.
          </p>
        </output>
      )}
    </Card>
  )
}

/** The number of entries that a list shows before it is opened. */
const shownFirst = 8

/** A list of entries, of which the first ones are shown. */
function Entries<Entry extends { readonly key: string }>(props: {
  readonly title: string
  readonly entries: readonly Entry[]
  readonly error: unknown
  readonly empty: string
  readonly show: (entry: Entry) => ReactNode
  /** The text at the end of the list. */
  readonly children?: ReactNode
}) {
  const { title, entries, error, empty, show } = props
  const [isOpen, setOpen] = useState(false)
  const isCut = !isOpen && entries.length > shownFirst
  return (
    <Card title={title} flush>
      <ErrorNote error={error} />
      {entries.length === 0 ? (
        <div className="body muted">{empty}</div>
      ) : (
        <ol className="items">
          {(isCut ? entries.slice(0, shownFirst) : entries).map(entry => (
            <li key={entry.key}>{show(entry)}</li>
          ))}
        </ol>
      )}
      {isCut ? (
        <div className="body">
          <button type="button" onClick={() => setOpen(true)}>
            Show {entries.length - shownFirst} more <span className="visually-hidden">of {title}</span>
          </button>
        </div>
      ) : (
        props.children
      )}
    </Card>
  )
}

/** The time of an entry, and a link to its lead. */
function EntryLink(props: { readonly tenant: string; readonly at: string; label: string; lead_id: string }) {
  const { tenant, at, label, lead_id } = props
  return (
    <>
      <Time at={at} />{' '}
      <Link to={`/${tenant}/leads/${lead_id}`}>
        {label} <span className="muted">{shortId(lead_id)}</span>
      </Link>
    </>
  )
}

function DueNext(props: {
  readonly tenant: string
  readonly upcoming: ReturnType<typeof useUpcoming>
  readonly isGoing: boolean
  readonly onGo: (at: string) => void
}) {
  const { upcoming, isGoing, onGo } = props
  const { entries, more, error } = upcoming
  return (
    <Entries
      title="Due next"
      entries={entries}
      error={error}
      empty="Nothing is waiting."
      show={({ at, label, lead_id, held }) => (
        <>
          <EntryLink tenant={props.tenant} at={at} label={label} lead_id={lead_id} />{' '}
          {held && <Badge tone="warn">{formatHold(held)}</Badge>}
          <span className="end">
            <button type="button" className="small" disabled={isGoing} onClick={() => onGo(at)}>
              Go to <span className="visually-hidden">this time</span>
            </button>
          </span>
        </>
      )}
    >
      {more > 0 && <div className="body muted">{more} more after these.</div>}
    </Entries>
  )
}

function Past({ tenant, entries, error }: ReturnType<typeof usePast> & { readonly tenant: string }) {
  return (
    <Entries
      title="Past"
      entries={entries}
      error={error}
      empty="Nothing has happened yet."
      show={({ at, label, lead_id, tone, result }) => (
        <>
          <EntryLink tenant={tenant} at={at} label={label} lead_id={lead_id} />
          <span className="end">
            <Badge tone={tone}>{result}</Badge>
          </span>
        </>
      )}
    />
  )
}
