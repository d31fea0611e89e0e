import type { Callback } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { Link, useLocation, useNavigate, useParams } from 'react-router'
import { formatWord, shortId } from '../data/format.ts'
import { liveKey, useAccount, useAction } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { useSearchState, uuidPattern } from '../data/search-state.ts'
import { curlOfCallback } from '../data/snippets.ts'
import { type Column, PagedTable } from '../ui/data-table.tsx'
import { CopyButton, FormModal } from '../ui/dialogs.tsx'
import { Badge, Empty, Field, HttpStatus, PageHeader, Segments, StatusBadge, Time } from '../ui/elements.tsx'
import { toast } from '../ui/toasts.tsx'
import { CallbackDetails } from './callback-details.tsx'
import { Detail, EntryLink, ListDetail } from './list-detail.tsx'
import { OneLead } from './list-filters.tsx'
import { Receiver } from './receiver.tsx'
import { SyntheticCallback } from './synthetic-callback.tsx'

const states = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

const parts = [
  { value: '', label: 'Sent' },
  { value: 'receiver', label: 'Receiver and inbox' },
] as const

const parameters = {
  part: parts.map(({ value }) => value),
  state: states.map(({ value }) => value),
  lead_id: uuidPattern,
} as const

/** The callbacks to the publisher, and the receiver that they go to. */
export function Callbacks() {
  const { tenant = '', callback_id } = useParams()
  const navigate = useNavigate()
  const [{ part }] = useSearchState(parameters)
  const isReceiver = part === 'receiver' && callback_id === undefined
  const header = (
    <PageHeader title="Callbacks" about="The service notifies the publisher of each event.">
      <Segments
        label="View"
        value={isReceiver ? 'receiver' : ''}
        options={parts}
        onChange={value =>
          void navigate({ pathname: `/${tenant}/callbacks`, search: value && `part=${value}` }, { replace: true })
        }
      />
    </PageHeader>
  )
  if (!isReceiver) return <CallbackList tenant={tenant} callback_id={callback_id} header={header} />
  return (
    <>
      {header}
      <Receiver tenant={tenant} />
    </>
  )
}

function CallbackList(props: {
  readonly tenant: string
  readonly callback_id: string | undefined
  readonly header: ReactNode
}) {
  const { tenant, callback_id, header } = props
  const { search } = useLocation()
  const [{ state, lead_id }, set] = useSearchState(parameters)
  const filter = { ...(state && { state }), ...(lead_id && { lead_id }) }
  const list = usePagedList(tenant, ['callbacks', filter], callbackId, async page => {
    const { callbacks, next } = await sandbox.control(tenant).callbacks.list({ ...filter, ...page })
    return { entries: callbacks, next }
  })
  const { isHolding, hold, release } = useHold(tenant)
  const columns = useMemo(() => columnsOf({ tenant, search, openId: callback_id }), [tenant, search, callback_id])
  return (
    <ListDetail
      header={header}
      openId={callback_id}
      list={
        <PagedTable
          label="Callbacks"
          columns={columns}
          list={list}
          filters={
            <>
              <Segments label="State" value={state} options={states} onChange={value => set({ state: value })} />
              <OneLead tenant={tenant} lead_id={lead_id} onClear={() => set({ lead_id: '' })} />
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
          empty={<NoCallbacks tenant={tenant} isFiltered={Object.keys(filter).length > 0} />}
        />
      }
      detail={id => (
        <CallbackDetail
          tenant={tenant}
          callback_id={id}
          known={list.entries.find(callback => callback.callback_id === id)}
          search={search}
        />
      )}
    />
  )
}

const callbackId = ({ callback_id }: Callback) => callback_id

function CallbackDetail(props: {
  readonly tenant: string
  readonly callback_id: string
  /** The callback as the list has it. */
  readonly known: Callback | undefined
  readonly search: string
}) {
  const { tenant, callback_id, known, search } = props
  const control = sandbox.control(tenant)
  const { data: callback, error } = useQuery({
    queryKey: liveKey(tenant, 'callbacks', 'one', callback_id),
    queryFn: () => control.callbacks.show(callback_id),
    ...(known && { placeholderData: known }),
  })
  const resend = useAction(tenant, () => control.callbacks.resend(callback_id), 'Sent again.')
  const [isCopying, setIsCopying] = useState(false)
  return (
    <Detail
      title={callback ? `Callback for ${callback.event}` : 'Callback'}
      id={callback_id}
      list={{ label: 'Callbacks', to: { pathname: `/${tenant}/callbacks`, search } }}
      error={error}
      missing={{
        title: "This callback isn't here",
        about: 'Resetting the tenant deletes its callbacks, and restoring a snapshot replaces them.',
      }}
      actions={
        callback && (
          <>
            <button type="button" className="primary" disabled={resend.isPending} onClick={() => resend.mutate()}>
              Send again
            </button>
            <button type="button" onClick={() => setIsCopying(true)}>
              Send a changed copy
            </button>
            <CopyButton label="Copy as curl" text={() => curlOfCallback(callback.url)} />
          </>
        )
      }
    >
      {callback && <CallbackDetails tenant={tenant} callback={callback} />}
      {callback && isCopying && (
        <SyntheticCallback tenant={tenant} callback={callback} onClose={() => setIsCopying(false)} />
      )}
    </Detail>
  )
}

function NoCallbacks({ tenant, isFiltered }: { readonly tenant: string; readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No callbacks match" about="Change or clear the filters." />
  return (
    <Empty
      title="No callbacks"
      about="A callback is sent when an advertiser reports an event. Report one on a distributed lead's page."
    >
      <Link className="button primary" to={`/${tenant}/leads`}>
        Choose a lead
      </Link>
    </Empty>
  )
}

function columnsOf(shown: {
  readonly tenant: string
  readonly search: string
  readonly openId: string | undefined
}): readonly Column<Callback>[] {
  const { tenant, search, openId } = shown
  return [
    { id: 'state', header: 'State', width: 112, cell: ({ state }) => <StatusBadge word={state} /> },
    {
      id: 'event',
      header: 'Event',
      minWidth: 190,
      cell: ({ callback_id, event, synthetic }) => (
        <>
          <EntryLink id={callback_id} openId={openId} to={{ pathname: `/${tenant}/callbacks/${callback_id}`, search }}>
            {formatWord(event)}
          </EntryLink>{' '}
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
