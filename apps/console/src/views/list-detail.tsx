import {
  Fragment,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react'
import { Link, type To, useNavigate, useNavigationType } from 'react-router'
import { isMissing } from '../data/sandbox.ts'
import { Empty, ErrorNote, PageHeader } from '../ui/elements.tsx'
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

/**
 * A list and its open entry, which has an address of its own. Wide pages show them side by side; on narrow ones the entry
 * covers the list, which keeps its place.
 */
export function ListDetail(props: {
  readonly header: ReactNode
  readonly list: ReactNode
  /** The id of the open entry; undefined if none is open. */
  readonly openId: string | undefined
  /** Shows the open entry, as a {@link Detail}. */
  readonly detail: (openId: string) => ReactNode
}) {
  const { header, list, openId, detail } = props
  const isCovered = !useIsWide() && openId !== undefined
  const place = useRef<HTMLDivElement>(null)
  const lastId = useRef(openId)
  useLayoutEffect(() => {
    // The focus was in the entry that is closed now. It goes back to the entry's link, before the header takes it.
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
        <div className="list" ref={place} inert={isCovered}>
          {list}
        </div>
        {openId !== undefined && <Fragment key={openId}>{detail(openId)}</Fragment>}
      </div>
    </>
  )
}

/** A link in a list that opens an entry. Pass the address of the entry, with the filters of the list. */
export function EntryLink(props: {
  readonly id: string
  readonly openId: string | undefined
  readonly to: To
  readonly children: ReactNode
}) {
  return (
    <Link to={props.to} data-entry={props.id} aria-current={props.id === props.openId ? 'true' : undefined}>
      {props.children}
    </Link>
  )
}

/** The open entry of a {@link ListDetail}. */
export function Detail(props: {
  readonly title: string
  readonly id: string
  /** The list: its name, and its address with the filters. */
  readonly list: { readonly label: string; readonly to: To }
  readonly error: unknown
  /** Says that there is no entry with this id, and why. */
  readonly missing: { readonly title: string; readonly about: string }
  readonly actions?: ReactNode
  /** The contents; undefined while they are loaded. */
  readonly children: ReactNode
}) {
  const { title, id, list, error, missing, actions, children } = props
  const isWide = useIsWide()
  const frame = useRef<HTMLElement>(null)
  const navigate = useNavigate()
  const type = useNavigationType()
  useEffect(() => {
    if (type === 'PUSH') frame.current?.focus()
  }, [type])
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    // A dialog above it, and an input that is cleared, have their own use of the key.
    const isUsed = event.defaultPrevented || event.target instanceof HTMLInputElement
    if (event.key === 'Escape' && !isUsed) void navigate(list.to)
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
  const isGone = isMissing(error)
  const contents = isGone ? (
    <Empty {...missing}>
      <Link className="button primary" to={list.to}>
        Show {list.label.toLowerCase()}
      </Link>
    </Empty>
  ) : (
    <>
      <ErrorNote error={error} />
      {children}
    </>
  )
  return (
    <section
      className="detail stack"
      ref={frame}
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      {isWide ? (
        <header className="detail-header">
          <h2>{title}</h2>
          <Link className="button quiet icon" to={list.to} aria-label="Close">
            <Icon name="close" />
          </Link>
        </header>
      ) : (
        <PageHeader
          title={title}
          about={
            <>
              <Link to={list.to}>{list.label}</Link> / <span className="mono">{id}</span>
            </>
          }
        />
      )}
      {!isGone && actions && <div className="actions">{actions}</div>}
      {contents}
    </section>
  )
}
