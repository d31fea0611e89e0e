import type { Callback } from '@lead-distribution/control-client'
import { type ReactNode, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import type { ListedCallback } from '../data/entries.ts'
import { formatCount, formatHold, formatWord, shortId } from '../data/format.ts'
import { useAccount } from '../data/live.ts'
import { pageOf, usePagedList } from '../data/paged-list.ts'
import { useSearchState, uuidPattern } from '../data/search-state.ts'
import { ActionButton, FormModal } from '../ui/actions.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Badge, HttpStatus, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { Segments, TextField } from '../ui/forms.tsx'
import { toast } from '../ui/toasts.tsx'
import { CallbackActions, CallbackDetails, useCallback } from './callback-details.tsx'
import { EntryLink, ListDetail, OneLead } from './list-detail.tsx'
import { Receiver } from './receiver.tsx'

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

/** The callbacks to the publisher, and their receiver. */
export function Callbacks() {
  const { id } = useParams()
  const navigate = useNavigate()
  const [{ part }] = useSearchState(parameters)
  const isReceiver = part === 'receiver' && id === undefined
  const header = (
    <PageHeader title="Callbacks" about="The service notifies the publisher of each event.">
      <Segments
        label="View"
        value={isReceiver ? 'receiver' : ''}
        options={parts}
        onChange={value =>
          void navigate({ pathname: '../callbacks', search: value && `part=${value}` }, { replace: true })
        }
      />
    </PageHeader>
  )
  if (!isReceiver) return <CallbackList header={header} />
  return (
    <>
      {header}
      <Receiver />
    </>
  )
}

function CallbackList({ header }: { readonly header: ReactNode }) {
  const [{ state, lead_id }, set] = useSearchState(parameters)
  const filter = { ...(state && { state }), ...(lead_id && { leadId: lead_id }) }
  const list = usePagedList({
    name: ['callbacks', filter],
    idOf: callbackId,
    read: (control, page) => pageOf('callbacks', control.callbacks.list({ ...filter, ...page, include: 'email' })),
  })
  return (
    <ListDetail
      of="callbacks"
      header={header}
      columns={columns}
      list={list}
      filters={
        <>
          <Segments label="State" value={state} options={states} onChange={value => set({ state: value })} />
          <OneLead lead_id={lead_id} onClear={() => set({ lead_id: '' })} />
          <HoldButton />
          <RecoverButton />
        </>
      }
      isFiltered={Object.keys(filter).length > 0}
      empty={{
        title: 'No callbacks',
        about: "A callback is sent when an advertiser reports an event. Report one on a distributed lead's page.",
        to: '../leads',
        action: 'Choose a lead',
      }}
      detail={{
        useEntry: useCallback,
        title: callback => (callback ? `Callback for ${callback.event}` : 'Callback'),
        actions: callback => <CallbackActions callback={callback} />,
        content: callback => <CallbackDetails callback={callback} />,
      }}
    />
  )
}

const callbackId = ({ callback_id }: Callback) => callback_id

const columns: readonly Column<ListedCallback>[] = [
  {
    id: 'state',
    header: 'State',
    width: 104,
    cell: ({ state, held }) =>
      held ? (
        <span title={formatHold(held)}>
          <Badge tone="warn">Held</Badge>
        </span>
      ) : (
        <StatusBadge word={state} />
      ),
  },
  {
    id: 'event',
    header: 'Event',
    minWidth: 170,
    cell: ({ callback_id, event, synthetic, resent_after }) => (
      <>
        <EntryLink list="callbacks" id={callback_id}>
          {formatWord(event)}
        </EntryLink>{' '}
        {synthetic && <Badge tone="info">Synthetic</Badge>}
        {resent_after !== undefined && <Badge tone="info">Sent again</Badge>}
      </>
    ),
  },
  {
    id: 'customer',
    header: 'Customer',
    minWidth: 170,
    priority: 3,
    cell: ({ lead_id, email }) => <Link to={`../leads/${lead_id}`}>{email ?? shortId(lead_id)}</Link>,
  },
  { id: 'to', header: 'To', minWidth: 150, priority: 5, cell: ({ url }) => <code>{new URL(url).host}</code> },
  { id: 'attempts', header: 'Attempts', width: 88, priority: 5, cell: ({ attempts }) => attempts.length },
  { id: 'last', header: 'Last response', width: 116, priority: 2, cell: lastResponse },
  {
    id: 'at',
    header: 'Time (UTC)',
    width: 166,
    priority: 3,
    cell: ({ attempts }) => lastTime(attempts.at(-1)),
  },
  {
    id: 'next',
    header: 'Next attempt (UTC)',
    width: 164,
    // A card has no room for it next to the time of the last attempt.
    priority: 5,
    cell: ({ next_attempt_at }) => (next_attempt_at ? <Time at={next_attempt_at} /> : undefined),
  },
]

const lastTime = (attempt: { readonly at: string } | undefined) => attempt && <Time at={attempt.at} precise />

function lastResponse({ attempts }: Callback): ReactNode {
  const last = attempts.at(-1)
  return last ? <HttpStatus status={last.status ?? 0} /> : '–'
}

/** Holds a tenant's callbacks, or releases them. */
function HoldButton() {
  return useAccount().callbacks_held ? (
    <ActionButton
      key="release"
      className="primary"
      act={control => control.callbacks.release()}
      done="Callbacks are released."
    >
      Release callbacks
    </ActionButton>
  ) : (
    <ActionButton key="hold" act={control => control.callbacks.hold()} done="Callbacks are now held.">
      Hold callbacks
    </ActionButton>
  )
}

/** Resends every callback that failed since a given time, for example after a receiver outage. */
function RecoverButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Resend failed callbacks
      </button>
      {isOpen && (
        <FormModal
          title="Resend failed callbacks"
          about="Use this after a receiver outage. Every callback whose last attempt failed since the given time is sent again."
          send="Send again"
          act={async (control, { since = '' }) => {
            const { callbacks } = await control.callbacks.recover({ since })
            toast(`${formatCount(callbacks.length, 'failed callback')} queued again.`)
          }}
          onClose={() => setOpen(false)}
        >
          <TextField
            label="Failed since"
            hint="A duration before the tenant's current time, such as PT24H, or a date-time with a time zone, such as 2026-03-01T10:00:00Z."
            name="since"
            required
            // Earlier than most failures.
            defaultValue="P30D"
          />
        </FormModal>
      )}
    </>
  )
}
