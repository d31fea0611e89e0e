import type { Account } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatWord } from '../data/format.ts'
import { isDelivered } from '../data/lead-history.ts'
import { liveKey, useAccount, useAction } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { Badge, Card, ErrorNote, Field, HttpStatus, Note, Time } from '../ui/elements.tsx'
import { PagedItems } from '../ui/paged-items.tsx'

/** The callback URL, and the sandbox's own inbox, which can fail on purpose. */
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
    'The callback URL is saved.',
  )
  return (
    <Card title="Receiver">
      {account?.listener && <ListenerNote tenant={tenant} listener={account.listener} />}
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          save.mutate(typed ?? current)
        }}
      >
        <Field label="Callback URL" hint="A URL on the sandbox's own machine, or on an allowed callback host.">
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
          <Link to={`/${tenant}/access`}>Callback hosts</Link>
        </div>
      </form>
    </Card>
  )
}

/** Says that callbacks go through a listener in place of the callback URL, and ends it: its program may have been killed. */
function ListenerNote(props: { readonly tenant: string; readonly listener: NonNullable<Account['listener']> }) {
  const { tenant, listener } = props
  const end = useAction(
    tenant,
    () => sandbox.control(tenant).listener.end(listener.listener_id),
    'Callbacks go to the callback URL again.',
  )
  return (
    <Note tone={listener.connected ? 'info' : 'warn'}>
      <p>
        {listener.connected
          ? 'A listener sends the callbacks to '
          : 'Callbacks are held until a listener is connected, which sends them to '}
        <code>{listener.forward_to}</code>
      </p>
      <ErrorNote error={end.error} />
      <button type="button" disabled={end.isPending} onClick={() => end.mutate()}>
        End the listener
      </button>
    </Note>
  )
}

function Inbox({ tenant }: { readonly tenant: string }) {
  const { data: inbox } = useQuery({
    queryKey: liveKey(tenant, 'inbox', 'mode'),
    queryFn: () => sandbox.control(tenant).inbox.show({ limit: 1 }),
  })
  const received = usePagedList(tenant, ['inbox', 'received'], entryId, async page => {
    const { callbacks, next } = await sandbox.control(tenant).inbox.show(page)
    return { entries: callbacks, next }
  })
  if (!inbox) return null
  const fails = !isDelivered(inbox)
  return (
    <Card title="Inbox" actions={fails ? <Badge tone="bad">Failing</Badge> : <Badge tone="good">OK</Badge>} flush>
      <div className="body">
        <p className="muted">The sandbox's own receiver, for tenants without one.</p>
        <InboxSwitch tenant={tenant} fails={fails} />
        {fails && (
          <Note tone="warn">
            <p>
              It returns {inbox.status} {howLong(inbox.times)}
            </p>
          </Note>
        )}
        <ErrorNote error={received.error} />
      </div>
      <PagedItems list={received} empty="No callback received yet.">
        {({ received_at, event, lead_id, status }) => (
          <>
            <HttpStatus status={status} />
            <Link to={`/${tenant}/leads/${lead_id}`}>{formatWord(event)}</Link>
            <span className="end muted">
              <Time at={received_at} />
            </span>
          </>
        )}
      </PagedItems>
    </Card>
  )
}

const entryId = ({ entry_id }: { readonly entry_id: string }) => entry_id

function howLong(times: number | undefined): string {
  if (times === undefined) return 'until you change it.'
  return times === 1 ? 'for the next callback.' : `for the next ${times} callbacks.`
}

/** Makes the inbox fail, or accept callbacks again. */
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
          Accept callbacks again
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
        <Field label="Status to return">
          {ids => (
            <input {...ids} type="number" required value={status} onChange={event => setStatus(event.target.value)} />
          )}
        </Field>
        <Field label="How many times" hint="If empty, until you change it.">
          {ids => <input {...ids} type="number" value={times} onChange={event => setTimes(event.target.value)} />}
        </Field>
      </div>
      <ErrorNote error={change.error} />
      <div className="actions">
        <button type="submit">Make it fail</button>
      </div>
    </form>
  )
}
