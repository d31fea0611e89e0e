import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { liveKey, useAccount, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Card, ErrorNote, Field, HttpStatus, Note, StatusBadge, Time } from '../ui/elements.tsx'

/** Where callbacks go, and the sandbox's own inbox with its failure switch. */
export function Receiver({ tenant }: { readonly tenant: string }) {
  return (
    <div className="columns">
      <ReceiverAddress tenant={tenant} />
      <Inbox tenant={tenant} />
    </div>
  )
}

function ReceiverAddress({ tenant }: { readonly tenant: string }) {
  const { data: account } = useAccount(tenant)
  const current = account?.publisher.callback_url ?? ''
  const [typed, setTyped] = useState<string>()
  const save = useAction(
    tenant,
    async (callback_url: string | null) => {
      await sandbox.control(tenant).update({ callback_url })
      setTyped(undefined)
    },
    'Callbacks go there now.',
  )
  return (
    <Card title="Receiver">
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          save.mutate(typed ?? current)
        }}
      >
        <Field
          label="Callback URL"
          hint="An address on this machine, unless the sandbox was started with --allow-callback-host."
        >
          {ids => (
            <input
              {...ids}
              type="url"
              required
              aria-invalid={save.isError}
              value={typed ?? current}
              onChange={event => setTyped(event.target.value)}
            />
          )}
        </Field>
        <ErrorNote error={save.error} />
        <div className="actions">
          <button type="submit" className="primary" disabled={typed === undefined || typed === current}>
            Save
          </button>
          <button type="button" onClick={() => save.mutate(null)}>
            Use the inbox
          </button>
        </div>
      </form>
    </Card>
  )
}

function Inbox({ tenant }: { readonly tenant: string }) {
  const { data: inbox } = useQuery({
    queryKey: liveKey(tenant, 'inbox'),
    queryFn: () => sandbox.control(tenant).inbox.show(),
  })
  if (!inbox) return null
  const fails = inbox.status >= 300
  return (
    <Card title="Inbox" actions={<StatusBadge word={fails ? 'failed' : 'ok'} />}>
      <p className="muted">The receiver that the sandbox itself has, for a tenant without one.</p>
      <InboxSwitch tenant={tenant} fails={fails} />
      {fails && (
        <Note tone="warn">
          <p>
            It answers {inbox.status}
            {inbox.times === undefined ? ' until you change it.' : `, ${inbox.times} more times.`}
          </p>
        </Note>
      )}
      {inbox.callbacks.length === 0 && <p className="muted">It received nothing yet.</p>}
      <ul className="items">
        {inbox.callbacks.map(({ received_at, event, lead_id, status }) => (
          <li key={`${received_at} ${event} ${lead_id}`}>
            <HttpStatus status={status} /> {event}
            <span className="end muted">
              <Time at={received_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Makes the inbox fail, or take callbacks again. */
function InboxSwitch({ tenant, fails }: { readonly tenant: string; readonly fails: boolean }) {
  const [status, setStatus] = useState('503')
  const [times, setTimes] = useState('')
  const change = useAction(tenant, (mode: { status: number; times?: number }) =>
    sandbox.control(tenant).inbox.change(mode),
  )
  if (fails)
    return (
      <div className="actions">
        <button type="button" className="primary" onClick={() => change.mutate({ status: 200 })}>
          Take callbacks again
        </button>
      </div>
    )
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        change.mutate({ status: Number(status), ...(times !== '' && { times: Number(times) }) })
      }}
    >
      <div className="inline-fields">
        <Field label="Answer with status">
          {ids => (
            <input {...ids} type="number" required value={status} onChange={event => setStatus(event.target.value)} />
          )}
        </Field>
        <Field label="How many times" hint="Left empty: until you change it.">
          {ids => (
            <input {...ids} type="number" min={1} value={times} onChange={event => setTimes(event.target.value)} />
          )}
        </Field>
      </div>
      <ErrorNote error={change.error} />
      <div className="actions">
        <button type="submit">Make it fail</button>
      </div>
    </form>
  )
}
