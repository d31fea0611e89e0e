import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { Link, useLocation, useNavigate, useNavigationType, useParams } from 'react-router'
import { formatWord, shortId } from '../data/format.ts'
import { isMissing } from '../data/sandbox.ts'
import { PagedTable, type PagedTableProps } from '../ui/data-table.tsx'
import { Empty, ErrorNote, Note, PageHeader } from '../ui/elements.tsx'
import { Icon } from '../ui/icons.tsx'
import './list-detail.css'

/** The width at which a list and an entry fit side by side. The same as in `list-detail.css`. */
const wide = globalThis.matchMedia('(min-width: 1200px)')

function useIsWide(): boolean {
  return useSyncExternalStore(
    onChange => {
      wide.addEventListener('change', onChange)
      return () => wide.removeEventListener('change', onChange)
    },
    () => wide.matches,
  )
}

/** The lists whose entries have their own addresses, each with its path, and why an entry may be missing. */
const gone = {
  leads: 'Resetting the tenant deletes its leads, and restoring a snapshot replaces them.',
  requests: 'The journal keeps the newest requests, and resetting or restoring the tenant empties it.',
  callbacks: 'Resetting the tenant deletes its callbacks, and restoring a snapshot replaces them.',
} as const

type ListName = keyof typeof gone

/** Says that an entry in the address is missing, and why. */
export function MissingEntry(props: { readonly list: ListName; readonly title: string; readonly about?: string }) {
  const { list, title, about = '' } = props
  const { search } = useLocation()
  return (
    <Empty title={title} about={`${about} ${gone[list]}`}>
      <Link className="button primary" to={{ pathname: `../${list}`, search }}>
        Show {list}
      </Link>
    </Empty>
  )
}

/** How the open entry of a list is read and shown. */
interface DetailProps<Listed, Entry> {
  /** Reads the entry. `known` is the entry as the list has it. */
  readonly useEntry: (
    id: string,
    known: Listed | undefined,
  ) => { readonly data: Entry | undefined; readonly error: unknown }
  /** The title; without an entry while it's loaded. */
  readonly title: (entry: Entry | undefined, id: string) => string
  readonly actions: (entry: Entry) => ReactNode
  readonly content: (entry: Entry) => ReactNode
}

/**
 * A list and its open entry, which has its own address. Wide pages show them side by side. On narrow pages, the entry
 * covers the list, which keeps its position.
 */
export function ListDetail<Listed, Entry>(
  props: Omit<PagedTableProps<Listed>, 'label'> & {
    readonly of: ListName
    readonly header: ReactNode
    readonly beforeList?: ReactNode
    readonly detail: DetailProps<Listed, Entry>
  },
) {
  const { of, header, beforeList, detail, ...table } = props
  const { entries, idOf } = table.list
  const { id: openId } = useParams()
  const isCovered = !useIsWide() && openId !== undefined
  const place = useRef<HTMLDivElement>(null)
  const lastId = useRef(openId)
  useLayoutEffect(() => {
    // The focus was in the entry that closed. It returns to the entry's link, before the header takes it.
    if (openId === undefined && lastId.current !== undefined && document.activeElement === document.body) {
      const link = place.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(lastId.current)}"]`)
      const start = link ?? document.getElementById('content')
      start?.focus({ preventScroll: true })
    }
    lastId.current = openId
  }, [openId])
  return (
    <>
      {!isCovered && header}
      <div className={`fill list-detail ${openId === undefined ? '' : 'open'}`}>
        <div className="list stack" ref={place} inert={isCovered}>
          {beforeList}
          <PagedTable {...table} label={formatWord(of)} />
        </div>
        {openId !== undefined && (
          <Detail
            key={openId}
            {...detail}
            of={of}
            id={openId}
            known={entries.find(entry => idOf(entry) === openId)}
            steps={<Steps list={of} id={openId} ids={entries.map(idOf)} />}
          />
        )}
      </div>
    </>
  )
}

/** A link in a list that opens an entry, or compares it with another one. It keeps the filters of the list. */
export function EntryLink(props: {
  /** The path of the list. */
  readonly list: string
  readonly id: string
  /** The id of an entry to compare with, or an empty text. */
  readonly compare?: string
  readonly children: ReactNode
}) {
  const { list, id, compare, children } = props
  const { search } = useLocation()
  const isOpen = useParams().id === id
  const to = compare ? `../compare/${list}/${compare}/${id}` : { pathname: `../${list}/${id}`, search }
  return (
    <Link to={to} data-entry={id} aria-current={isOpen ? 'true' : undefined}>
      {children}
    </Link>
  )
}

/** Links to the previous and the next entry in the list. The keys `k` and `j` follow them. */
export function Steps(props: { readonly list: string; readonly id: string; readonly ids: readonly string[] }) {
  const { list, id, ids } = props
  const { search } = useLocation()
  const place = ids.indexOf(id)
  if (place < 0) return null
  const steps = [
    { to: ids[place - 1], step: 'k', label: 'Previous', icon: 'earlier' },
    { to: ids[place + 1], step: 'j', label: 'Next', icon: 'down' },
  ] as const
  return (
    <span className="line" data-steps={id}>
      {steps.map(({ to, step, label, icon }) => (
        <Link
          key={step}
          replace
          to={{ pathname: `../${list}/${to ?? id}`, search }}
          className="button quiet icon"
          aria-label={label}
          aria-disabled={to === undefined}
          title={`${label} (${step})`}
          data-step={step}
        >
          <Icon name={icon} />
        </Link>
      ))}
    </span>
  )
}

/** The open entry of a {@link ListDetail}. */
function Detail<Listed, Entry>(
  props: DetailProps<Listed, Entry> & {
    readonly of: ListName
    readonly id: string
    readonly known: Listed | undefined
    readonly steps: ReactNode
  },
) {
  const { of, id, known, steps, useEntry, actions, content } = props
  const { data: entry, error } = useEntry(id, known)
  const title = props.title(entry, id)
  const { search } = useLocation()
  const toList = { pathname: `../${of}`, search }
  const isWide = useIsWide()
  const frame = useRef<HTMLElement>(null)
  const navigate = useNavigate()
  const type = useNavigationType()
  const focusIfFollowed = useEffectEvent(() => {
    if (type !== 'POP') frame.current?.focus()
  })
  useEffect(() => focusIfFollowed(), [])
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    // An open dialog, and an input to clear, handle the key themselves.
    const isUsed =
      event.defaultPrevented || document.querySelector('dialog') || event.target instanceof HTMLInputElement
    if (event.key === 'Escape' && !isUsed) void navigate(toList)
  })
  useEffect(() => {
    document.addEventListener('keydown', onEscape)
    return () => document.removeEventListener('keydown', onEscape)
  }, [])
  useEffect(() => {
    // Narrow pages have a header, which sets the title.
    if (!isWide) return
    const before = document.title
    document.title = `${title} · Lead sandbox`
    return () => {
      document.title = before
    }
  }, [title, isWide])
  return (
    <section
      className="detail stack"
      ref={frame}
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      {isWide ? (
        <header className="line ends">
          <h2 className="grow">{title}</h2>
          {steps}
          <Link className="button quiet icon" to={toList} aria-label="Close">
            <Icon name="close" />
          </Link>
        </header>
      ) : (
        <PageHeader
          title={title}
          about={
            <>
              <Link to={toList}>{formatWord(of)}</Link> / <span className="mono">{id}</span>
            </>
          }
        >
          {steps}
        </PageHeader>
      )}
      {isMissing(error) ? (
        <MissingEntry list={of} title={`This ${of.slice(0, -1)} isn't here`} />
      ) : (
        <>
          {entry && <div className="actions">{actions(entry)}</div>}
          <ErrorNote error={error} />
          {entry && content(entry)}
        </>
      )}
    </section>
  )
}

/** The lead that a list is filtered by, with a button that shows all again. */
export function OneLead({ lead_id, onClear }: { readonly lead_id: string; readonly onClear: () => void }) {
  if (!lead_id) return null
  return (
    <span className="actions">
      <span>
        Lead <Link to={`../leads/${lead_id}`}>{shortId(lead_id)}</Link>
      </span>
      <button type="button" className="quiet small icon" title="Show those of all leads" onClick={onClear}>
        <Icon name="close" />
        <span className="visually-hidden">Show those of all leads</span>
      </button>
    </span>
  )
}

/** Says that the next chosen entry is compared with this one. */
export function ChooseOther(props: { readonly what: string; readonly onCancel: () => void }) {
  return (
    <Note>
      <div className="actions">
        <p>Choose {props.what}.</p>
        <button type="button" className="small" onClick={props.onCancel}>
          Cancel
        </button>
      </div>
    </Note>
  )
}
