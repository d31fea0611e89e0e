import type { Callback, TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { formatHold } from '../data/format.ts'
import { liveKey, useAction } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, Card, ErrorNote, HttpStatus, Time } from '../ui/elements.tsx'

type Due = Awaited<ReturnType<TenantControl['clock']['agenda']>>['due'][number]

/** The time line of the clock: what will fall due, the next first, and what fell due, the last first. */
export function Agenda({ tenant }: { readonly tenant: string }) {
  return (
    <div className="columns">
      <FallsDue tenant={tenant} />
      <FellDue tenant={tenant} />
    </div>
  )
}

function FallsDue({ tenant }: { readonly tenant: string }) {
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
                <SetTo tenant={tenant} at={each.at} />
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
function FellDue({ tenant }: { readonly tenant: string }) {
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

function SetTo({ tenant, at }: { readonly tenant: string; readonly at: string }) {
  const set = useAction(tenant, () => sandbox.control(tenant).clock.set(at), 'The clock is set.')
  return (
    <button type="button" className="small" onClick={() => set.mutate()}>
      Go to <span className="visually-hidden">this time</span>
    </button>
  )
}
