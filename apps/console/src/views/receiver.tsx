import type { Account } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatWord } from '../data/format.ts'
import type { Values } from '../data/input-values.ts'
import { isDelivered } from '../data/lead-history.ts'
import { useAccount, useAction, useRead } from '../data/live.ts'
import { pageOf, usePagedList } from '../data/paged-list.ts'
import { ActionButton } from '../ui/actions.tsx'
import { Badge, Card, ErrorNote, HttpStatus, Note, Time } from '../ui/elements.tsx'
import { Form, TextField } from '../ui/forms.tsx'
import { PagedItems } from '../ui/paged-items.tsx'
import { ReceiverState } from './receiver-state.tsx'

/** The callback URL, and the sandbox's own inbox, which can fail on purpose. */
export function Receiver() {
  return (
    <div className="columns">
      <ReceiverAddress />
      <Inbox />
    </div>
  )
}

function ReceiverAddress() {
  const account = useAccount()
  const current = account.publisher.callback_url
  const [typed, setTyped] = useState<string>()
  const save = useAction(async (control, { callback_url = null }: { readonly callback_url?: string | null }) => {
    await control.update({ callback_url })
    setTyped(undefined)
  }, 'The callback URL is saved.')
  return (
    <Card title="Receiver">
      {account.listener && <ListenerNote listener={account.listener} />}
      <ReceiverState />
      <Form
        action={save}
        send="Save"
        disabled={typed === undefined || typed === current}
        after={
          <>
            <button type="button" {...save.button} onClick={() => save.mutate({})}>
              Use the inbox
            </button>
            <Link to="../access">Callback hosts</Link>
          </>
        }
      >
        <TextField
          label="Callback URL"
          hint="A URL on the sandbox's own machine, or on an allowed callback host."
          name="callback_url"
          type="url"
          required
          aria-invalid={save.isError}
          value={typed ?? current}
          onChange={event => setTyped(event.target.value)}
        />
      </Form>
    </Card>
  )
}

/**
 * Says that callbacks go through a listener instead of to the callback URL, with a button that ends it, because its
 * program may have been killed.
 */
function ListenerNote({ listener }: { readonly listener: NonNullable<Account['listener']> }) {
  return (
    <Note tone={listener.connected ? 'info' : 'warn'}>
      <p>
        {listener.connected
          ? 'A listener sends the callbacks to '
          : 'Callbacks are held until a listener is connected, which sends them to '}
        <code>{listener.forward_to}</code>
      </p>
      <ActionButton
        act={control => control.listener.end(listener.listener_id)}
        done="Callbacks go to the callback URL again."
      >
        End the listener
      </ActionButton>
    </Note>
  )
}

function Inbox() {
  const { data: inbox } = useRead(['inbox', 'mode'], control => control.inbox.show({ limit: 1 }))
  const received = usePagedList({
    name: ['inbox', 'received'],
    idOf: entryId,
    read: (control, page) => pageOf('callbacks', control.inbox.show(page)),
  })
  if (!inbox) return null
  const fails = !isDelivered(inbox)
  return (
    <Card title="Inbox" actions={fails ? <Badge tone="bad">Failing</Badge> : <Badge tone="good">OK</Badge>} flush>
      <div className="body">
        <p className="muted">The sandbox's own receiver, for tenants without one.</p>
        {fails ? <AcceptButton /> : <FailForm />}
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
            <Link to={`../leads/${lead_id}`}>{formatWord(event)}</Link>
            <span className="line end muted">
              <Time at={received_at} precise />
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

function AcceptButton() {
  return (
    <div className="actions">
      <ActionButton className="primary" act={control => control.inbox.change({ status: 200 })}>
        Accept callbacks again
      </ActionButton>
    </div>
  )
}

function FailForm() {
  const change = useAction((control, { status, times }: Values) =>
    control.inbox.change({ status: Number(status), ...(times && { times: Number(times) }) }),
  )
  return (
    <Form action={change}>
      <div className="tiles">
        <TextField label="Status to return" name="status" type="number" required defaultValue="503" />
        <TextField label="How many times" hint="If empty, until you change it." name="times" type="number" />
      </div>
      <div className="actions">
        <button type="submit" {...change.button}>
          Make it fail
        </button>
      </div>
    </Form>
  )
}
