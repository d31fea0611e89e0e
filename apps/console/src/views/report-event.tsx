import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import type { Lead } from '../data/entries.ts'
import { formatLostResponse, formatWord } from '../data/format.ts'
import type { Values } from '../data/input-values.ts'
import { useAccount, useAction } from '../data/live.ts'
import { Card, ErrorNote } from '../ui/elements.tsx'
import { Form, SelectField, TextField } from '../ui/forms.tsx'

type ReportResponse = Awaited<ReturnType<TenantControl['leads']['trigger']>>['replies'][number]

const ways = [
  { value: 'pixel', label: 'the postback URL (pixel)' },
  { value: 'body', label: "the status update with the advertiser's key" },
] as const

/** Reports an event as the simulated advertiser, like an advertiser's backend. */
export function ReportEvent({ lead }: { readonly lead: Lead }) {
  const account = useAccount()
  const [via, setVia] = useState<'pixel' | 'body'>('pixel')
  const report = useAction(async (control, { event = '', repeat = '1', advertiser_id }: Values) => {
    const how = { via, repeat: Number(repeat), ...(advertiser_id && { advertiserId: advertiser_id }) }
    return (await control.leads.trigger(lead.lead_id, { event, ...how })).replies
  })
  const reported = new Set(lead.events.map(({ event }) => event))
  const advertisers = account.advertisers.map(({ advertiser_id, name }) => ({ value: advertiser_id, label: name }))
  return (
    <Card title="Report an event">
      <p className="muted">Report the loan's progress as the advertiser. Each new event causes a callback.</p>
      <div className="actions">
        {pixelEvents.map(event => (
          <button key={event} type="button" {...report.button} onClick={() => report.mutate({ event })}>
            {formatWord(usageNameOf[event])}
            {reported.has(event) && <span className="muted">✓</span>}
          </button>
        ))}
      </div>
      <SelectField label="Reported by" value={via} choices={ways} onChange={setVia} />
      <details>
        <summary>Another event, advertiser or count</summary>
        {/* The error is shown below, where it isn't collapsed. */}
        <Form action={{ ...report, error: undefined }}>
          <SelectField
            label="Advertiser"
            hint="Choose one that doesn't have the lead to see the service refuse it."
            name="advertiser_id"
            choices={[{ value: '', label: 'the first one that has the lead' }, ...advertisers]}
          />
          <TextField
            label="How many times"
            hint="The service ignores repeats."
            name="repeat"
            type="number"
            required
            defaultValue="1"
          />
          <TextField
            label="Event"
            hint="Any name, including one that the service doesn't know."
            name="event"
            required
            placeholder="converted"
          >
            <button type="submit" {...report.button}>
              Report
            </button>
          </TextField>
        </Form>
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
