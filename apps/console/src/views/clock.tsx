import type { Callback, TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatHold } from '../data/format.ts'
import { liveKey, useAction, useClock } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, Card, ErrorNote, Field, HttpStatus, PageHeader, Time } from '../ui/elements.tsx'

const steps = [
  { by: 'PT1M', label: '1 minute' },
  { by: 'PT1H', label: '1 hour' },
  { by: 'P1D', label: '1 day' },
  { by: 'P30D', label: '30 days' },
] as const

/** The tenant's clock, and everything that waits for it. */
export function ClockPage() {
  const { tenant = '' } = useParams()
  const { data: clock } = useClock(tenant)
  const control = sandbox.control(tenant)
  const change = useAction(tenant, (to: 'freeze' | 'resume') => control.clock[to]())
  if (!clock) return null
  const isFrozen = clock.mode === 'frozen'
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
        <Advance tenant={tenant} now={clock.now} />
      </div>
      <Agenda tenant={tenant} />
    </>
  )
}

function Advance({ tenant, now }: { readonly tenant: string; readonly now: string }) {
  const [by, setBy] = useState('')
  const [to, setTo] = useState('')
  const control = sandbox.control(tenant)
  const advance = useAction(tenant, (duration: string) => control.clock.advance({ by: duration }))
  const set = useAction(tenant, (time: string) => control.clock.set(time), 'The clock is set.')
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

type Due = Awaited<ReturnType<TenantControl['clock']['agenda']>>['due'][number]

/** The next due callbacks and reports, and the last attempts. */
function Agenda({ tenant }: { readonly tenant: string }) {
  return (
    <div className="columns">
      <DueNext tenant={tenant} />
      <LastAttempts tenant={tenant} />
    </div>
  )
}

function DueNext({ tenant }: { readonly tenant: string }) {
  const { data, error } = useQuery({
    queryKey: liveKey(tenant, 'agenda'),
    queryFn: () => sandbox.control(tenant).clock.agenda(),
  })
  return (
    <Card title="Due next" flush>
      <ErrorNote error={error} />
      {data?.due.length === 0 ? (
        <div className="body muted">Nothing is waiting.</div>
      ) : (
        <ol className="items">
          {data?.due.map(each => (
            <li key={`${each.type} ${each.callback_id ?? each.event} ${each.lead_id}`}>
              <Time at={each.at} /> <Link to={`/${tenant}/leads/${each.lead_id}`}>{describe(each)}</Link>{' '}
              {each.held && <Badge tone="warn">{formatHold(each.held)}</Badge>}
              <span className="end">
                <GoTo tenant={tenant} at={each.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {data !== undefined && data.more > 0 && <div className="body muted">{data.more} more after these.</div>}
    </Card>
  )
}

function describe({ type, event, attempts = 0 }: Due): string {
  return type === 'callback' ? `Callback for ${event}, attempt ${attempts + 1}` : `The advertiser reports ${event}`
}

const callbackId = ({ callback_id }: Callback) => callback_id

/** The last attempts of the newest callbacks. */
function LastAttempts({ tenant }: { readonly tenant: string }) {
  const { entries } = usePagedList(tenant, ['callbacks', 'attempts'], callbackId, async page => {
    const { callbacks, next } = await sandbox.control(tenant).callbacks.list(page)
    return { entries: callbacks, next }
  })
  const attempts = entries
    .flatMap(({ callback_id, lead_id, event, attempts }) =>
      attempts.map((attempt, place) => ({ key: `${callback_id} ${place}`, lead_id, event, place, ...attempt })),
    )
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, 20)
  return (
    <Card title="Last attempts" flush>
      {attempts.length === 0 ? (
        <div className="body muted">Nothing has been sent yet.</div>
      ) : (
        <ol className="items">
          {attempts.map(({ key, at, lead_id, event, place, status, error }) => (
            <li key={key}>
              <Time at={at} />{' '}
              <Link to={`/${tenant}/leads/${lead_id}`}>
                Callback for {event}, attempt {place + 1}
              </Link>
              <span className="end">
                {status === undefined ? (
                  <Badge tone="bad">{error ?? 'No response'}</Badge>
                ) : (
                  <HttpStatus status={status} />
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function GoTo({ tenant, at }: { readonly tenant: string; readonly at: string }) {
  const set = useAction(tenant, () => sandbox.control(tenant).clock.set(at), 'The clock is set.')
  return (
    <button type="button" className="small" onClick={() => set.mutate()}>
      Go to <span className="visually-hidden">this time</span>
    </button>
  )
}
