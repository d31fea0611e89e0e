import { useState } from 'react'
import { useParams } from 'react-router'
import { useAction, useClock } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, Card, ErrorNote, Field, PageHeader } from '../ui/elements.tsx'
import { Agenda } from './agenda.tsx'

const steps = [
  { by: 'PT1M', label: '1 minute' },
  { by: 'PT1H', label: '1 hour' },
  { by: 'P1D', label: '1 day' },
  { by: 'P30D', label: '30 days' },
] as const

/** The tenant's clock: everything that waits runs on it. */
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
          aria-label="A duration"
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
