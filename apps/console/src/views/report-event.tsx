import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { formatLostResponse, formatWord } from '../data/format.ts'
import type { Lead } from '../data/lead-history.ts'
import { useAccount, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { filled } from '../data/typed.ts'
import { Card, ErrorNote, Field } from '../ui/elements.tsx'

type ReportResponse = Awaited<ReturnType<TenantControl['leads']['trigger']>>['replies'][number]

/** Reports an event as the simulated advertiser, like an advertiser's backend. */
export function ReportEvent({ tenant, lead }: { readonly tenant: string; readonly lead: Lead }) {
  const { data: account } = useAccount(tenant)
  const [via, setVia] = useState<'pixel' | 'body'>('pixel')
  const [more, setMore] = useState({ advertiser_id: '', repeat: '1', event: '' })
  const report = useAction(tenant, async (event: string) => {
    const { advertiser_id } = more
    const how = { via, repeat: Number(more.repeat), ...filled({ advertiser_id }) }
    return (await sandbox.control(tenant).leads.trigger(lead.lead_id, { event, ...how })).replies
  })
  const reported = new Set(lead.events.map(({ event }) => event))
  return (
    <Card title="Report an event">
      <p className="muted">Report the loan's progress as the advertiser. Each new event causes a callback.</p>
      <div className="actions">
        {pixelEvents.map(event => (
          <button key={event} type="button" disabled={report.isPending} onClick={() => report.mutate(event)}>
            {formatWord(usageNameOf[event])}
            {reported.has(event) && <span className="muted">✓</span>}
          </button>
        ))}
      </div>
      <Field label="Reported by">
        {ids => (
          <select {...ids} value={via} onChange={event => setVia(event.target.value as 'pixel' | 'body')}>
            <option value="pixel">the postback URL (pixel)</option>
            <option value="body">the status update with the advertiser's key</option>
          </select>
        )}
      </Field>
      <details>
        <summary>Another event, advertiser or count</summary>
        <form
          className="stack"
          onSubmit={event => {
            event.preventDefault()
            report.mutate(more.event.trim())
          }}
        >
          <Field label="Advertiser" hint="Choose one that doesn't have the lead to see the service refuse it.">
            {ids => (
              <select
                {...ids}
                value={more.advertiser_id}
                onChange={event => setMore({ ...more, advertiser_id: event.target.value })}
              >
                <option value="">the first one that has the lead</option>
                {account?.advertisers.map(({ advertiser_id, name }) => (
                  <option key={advertiser_id} value={advertiser_id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="How many times" hint="The service ignores repeats.">
            {ids => (
              <input
                {...ids}
                type="number"
                required
                value={more.repeat}
                onChange={event => setMore({ ...more, repeat: event.target.value })}
              />
            )}
          </Field>
          <Field label="Event" hint="Any name, including one that the service doesn't know.">
            {ids => (
              <div className="actions">
                <input
                  {...ids}
                  className="grow"
                  required
                  placeholder="converted"
                  value={more.event}
                  onChange={event => setMore({ ...more, event: event.target.value })}
                />
                <button type="submit" disabled={report.isPending}>
                  Report
                </button>
              </div>
            )}
          </Field>
        </form>
      </details>
      <ErrorNote error={report.error} />
      {report.data && <Responses responses={report.data} />}
    </Card>
  )
}

function Responses({ responses }: { readonly responses: readonly ReportResponse[] }) {
  const last = responses.at(-1)
  if (!last) return null
  const statuses = responses
    .map(({ status, broken }) => (broken ? formatLostResponse(broken).toLowerCase() : status))
    .join(', ')
  return (
    <output className={`note ${!last.broken && last.status < 300 ? 'good' : 'warn'}`}>
      <p>
        The service returned {statuses}
        {!last.broken && (
          <>
            : <code>{JSON.stringify(last.body)}</code>
          </>
        )}
      </p>
    </output>
  )
}
