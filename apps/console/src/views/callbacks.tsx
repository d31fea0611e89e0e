import type { Callback } from '@lead-distribution/control-client'
import { useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { formatWord, shortId } from '../data/format.ts'
import { useAccount, useAction } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/dialogs.tsx'
import { Badge, Empty, Field, HttpStatus, PageHeader, Segments, StatusBadge, Time } from '../ui/elements.tsx'
import { toast } from '../ui/toasts.tsx'
import { CallbackDialog } from './callback-dialog.tsx'
import { Receiver } from './receiver.tsx'

const states = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

/** The callbacks to the publisher, and the receiver that they go to. */
export function Callbacks() {
  const { tenant = '' } = useParams()
  const [part, setPart] = useState<'list' | 'receiver'>('list')
  return (
    <>
      <PageHeader title="Callbacks" about="The service notifies the publisher of each event.">
        <Segments
          label="View"
          value={part}
          options={[
            { value: 'list', label: 'Sent' },
            { value: 'receiver', label: 'Receiver and inbox' },
          ]}
          onChange={setPart}
        />
      </PageHeader>
      {part === 'list' ? <CallbackList tenant={tenant} /> : <Receiver tenant={tenant} />}
    </>
  )
}

function CallbackList({ tenant }: { readonly tenant: string }) {
  const [state, setState] = useState<(typeof states)[number]['value']>('')
  const [shownId, setShownId] = useState<string>()
  const filter = state ? { state } : {}
  const list = usePagedList(tenant, ['callbacks', filter], callbackId, async page => {
    const { callbacks, next } = await sandbox.control(tenant).callbacks.list({ ...filter, ...page })
    return { entries: callbacks, next }
  })
  const { isHolding, hold, release } = useHold(tenant)
  const columns = useMemo(() => columnsOf(tenant, setShownId), [tenant])
  return (
    <>
      <PagedTable
        label="Callbacks"
        columns={columns}
        list={list}
        filters={
          <>
            <Segments label="State" value={state} options={states} onChange={setState} />
            {isHolding ? (
              <button type="button" className="primary" disabled={release.isPending} onClick={() => release.mutate()}>
                Release callbacks
              </button>
            ) : (
              <button type="button" disabled={hold.isPending} onClick={() => hold.mutate()}>
                Hold callbacks
              </button>
            )}
            <RecoverButton tenant={tenant} />
          </>
        }
        empty={
          <Empty
            title="No callbacks"
            about="A callback is sent when an advertiser reports an event. Report one on a distributed lead's page."
          >
            <Link className="button primary" to={`/${tenant}/leads`}>
              Choose a lead
            </Link>
          </Empty>
        }
      />
      <CallbackDialog
        tenant={tenant}
        callback={list.entries.find(each => each.callback_id === shownId)}
        onClose={() => setShownId(undefined)}
      />
    </>
  )
}

const callbackId = ({ callback_id }: Callback) => callback_id

function columnsOf(tenant: string, show: (callbackId: string) => void): readonly Column<Callback>[] {
  return [
    { id: 'state', header: 'State', width: 112, cell: ({ state }) => <StatusBadge word={state} /> },
    {
      id: 'event',
      header: 'Event',
      minWidth: 190,
      cell: ({ callback_id, event, synthetic }) => (
        <>
          <button type="button" className="link" onClick={() => show(callback_id)}>
            {formatWord(event)}
          </button>{' '}
          {synthetic && <Badge tone="info">Synthetic</Badge>}
        </>
      ),
    },
    {
      id: 'lead',
      header: 'Lead',
      width: 110,
      priority: 4,
      cell: ({ lead_id }) => <Link to={`/${tenant}/leads/${lead_id}`}>{shortId(lead_id)}</Link>,
    },
    { id: 'to', header: 'To', minWidth: 150, priority: 5, cell: ({ url }) => <code>{new URL(url).host}</code> },
    { id: 'attempts', header: 'Attempts', width: 88, priority: 5, cell: ({ attempts }) => attempts.length },
    {
      id: 'last',
      header: 'Last response',
      width: 130,
      priority: 2,
      cell: ({ attempts }) => {
        const last = attempts.at(-1)
        if (last?.status !== undefined) return <HttpStatus status={last.status} />
        return last ? <Badge tone="bad">No response</Badge> : '–'
      },
    },
    {
      id: 'next',
      header: 'Next attempt (UTC)',
      width: 164,
      priority: 4,
      cell: ({ next_attempt_at }) => (next_attempt_at ? <Time at={next_attempt_at} /> : undefined),
    },
  ]
}

/** The default: longer ago than most failures. */
const initialSince = 'P30D'

/** Resends every callback that failed since a given time, for example after a receiver outage. */
function RecoverButton({ tenant }: { readonly tenant: string }) {
  const [open, setOpen] = useState(false)
  const [since, setSince] = useState(initialSince)
  const recover = useAction(tenant, async () => {
    const { callbacks } = await sandbox.control(tenant).callbacks.recover({ since: since.trim() })
    setOpen(false)
    toast(callbacks.length === 1 ? '1 callback was sent again.' : `${callbacks.length} callbacks were sent again.`)
  })
  return (
    <>
      <button
        type="button"
        onClick={() => {
          recover.reset()
          setOpen(true)
        }}
      >
        Send failed again
      </button>
      <FormModal
        title="Send failed callbacks again"
        about="Use this after a receiver outage. Every callback whose last attempt failed since the given time is sent again."
        open={open}
        onOpenChange={setOpen}
        send="Send again"
        action={recover}
      >
        <Field
          label="Failed since"
          hint="A duration before the tenant's current time, such as PT24H, or a date-time with a time zone, such as 2026-03-01T10:00:00Z."
        >
          {ids => <input {...ids} required value={since} onChange={event => setSince(event.target.value)} />}
        </Field>
      </FormModal>
    </>
  )
}

/** Holds a tenant's callbacks until they are released. */
function useHold(tenant: string) {
  const { callbacks } = sandbox.control(tenant)
  const { data } = useAccount(tenant)
  const hold = useAction(tenant, () => callbacks.hold(), 'Callbacks are now held.')
  const release = useAction(tenant, () => callbacks.release(), 'Due callbacks were sent.')
  return { isHolding: data?.callbacks_held === true, hold, release }
}
