import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Link, useLocation, useParams } from 'react-router'
import type { PagedList } from '../data/paged-list.ts'
import { Empty, ErrorNote, Skeleton } from './elements.tsx'
import { LiveSwitch, News, useHold } from './paged-items.tsx'
import { density, useStoredChoice } from './stored-choice.ts'
import { useWidth } from './use-width.ts'

/** A column of a {@link PagedTable}: as wide as its `width`, or at least `minWidth` and a share of the remaining space. */
export type Column<Row> = {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Columns that don't fit are hidden, the highest number first. 5 is never on a card. Default: 1. */
  readonly priority?: 1 | 2 | 3 | 4 | 5
} & ({ readonly width: number; readonly minWidth?: never } | { readonly minWidth: number; readonly width?: never })

/** Heights of a row in pixels. Rows have a fixed height, so the list may be of any length. */
const rowHeights = { comfortable: 41, compact: 33, card: 92 }

/** The width in pixels below which a row is a card. It's the table's own width, because details may be next to it. */
const cardsBelow = 720

/** The height of a table's sticky header. */
const headHeight = 32

/** The number of rows rendered above and below the visible ones. */
const overscan = 12

/** The number of rows before the end that triggers loading more. */
const rowsAhead = 100

/** The number of skeleton rows while loading. */
const rowsWhileLoading = 8

/** A virtualized table: renders only visible rows, and loads more near the end. */
function DataTable<Row>(props: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly list: PagedList<Row>
  readonly scroller: RefObject<HTMLElement | null>
}) {
  const { label, columns, list, scroller } = props
  const { entries, idOf, isLoading, loadMore } = list
  const width = useWidth(scroller)
  const rowDensity = useStoredChoice(density)
  const isCards = width < cardsBelow
  const rowHeight = rowHeights[isCards ? 'card' : rowDensity]
  const total = isLoading ? rowsWhileLoading : entries.length
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    scrollPaddingEnd: headHeight,
    useFlushSync: false,
  })
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = virtualizer.getVirtualItems()
  const [first, last] = [rows[0], rows.at(-1)]
  const isAtEnd = !isLoading && (last?.index ?? 0) >= total - rowsAhead
  useEffect(() => {
    if (isAtEnd) loadMore()
  })
  useFadeIn(body, list)
  const onBlur = usePlace({ list, virtualizer, body, rowHeight, isReady: width > 0 })
  const shown = columnsThatFit(columns, width)
  return (
    <section
      className="table-scroll"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      aria-busy={isLoading}
      style={{ '--row-height': `${rowHeight}px` } as CSSProperties}
    >
      <table className={isCards ? 'grid-table cards' : 'grid-table'} aria-rowcount={total + 1}>
        {!isCards && (
          <colgroup>
            {shown.map(({ column, width }) => (
              <col key={column.id} width={width} />
            ))}
          </colgroup>
        )}
        <thead className={isCards ? 'visually-hidden' : ''}>
          <tr>
            {isCards ? (
              <th scope="col">{label}</th>
            ) : (
              shown.map(({ column }) => (
                <th key={column.id} scope="col">
                  {column.header}
                </th>
              ))
            )}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: each row has a link, which the keys use. */}
        <tbody ref={body} onPointerOver={showWholeText} onClick={openRow} onBlur={onBlur}>
          <Spacer height={(first?.index ?? 0) * rowHeight} />
          {rows.map(({ index }) => {
            const entry = isLoading ? undefined : entries[index]
            return (
              // Keyed by entry, so the focus stays when a new entry is inserted before it.
              <tr key={entry ? idOf(entry) : index} className="row" aria-rowindex={index + 2}>
                {isCards ? (
                  <td>{entry ? <CardOf entry={entry} columns={columns} /> : <Skeleton />}</td>
                ) : (
                  shown.map(({ column }) => <td key={column.id}>{entry ? column.cell(entry) : <Skeleton />}</td>)
                )}
              </tr>
            )
          })}
          <Spacer height={(total - 1 - (last?.index ?? -1)) * rowHeight} />
        </tbody>
      </table>
    </section>
  )
}

/** Opens the entry of a row: a click anywhere in it is one on its first link, which the keyboard and other buttons use. */
function openRow({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) {
  if (!(target instanceof Element) || target.closest('a, button') || getSelection()?.isCollapsed === false) return
  const link = linkOf(target.closest('.row'))
  link?.focus({ preventScroll: true })
  link?.dispatchEvent(
    new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  )
}

/** The link that opens a row's entry. */
const linkOf = (row: Element | null | undefined) => row?.querySelector<HTMLElement>('a[data-entry]')

/**
 * A row of a narrow table: the entry's name, its status with the outcome, and less important columns, 4 with its header.
 * Empty cells are left out.
 */
function CardOf<Row>({ entry, columns }: { readonly entry: Row; readonly columns: readonly Column<Row>[] }) {
  const first = columns.filter(({ priority = 1, minWidth }) => priority === 1 && minWidth !== undefined)
  const second = columns.filter(column => (column.priority ?? 1) <= 2 && !first.includes(column))
  const third = byPriority(columns.filter(({ priority }) => priority === 3 || priority === 4))
  const line = (shown: readonly Column<Row>[]) =>
    shown.map(({ id, header, priority, cell }) => {
      const content = cell(entry)
      return content === undefined ? null : (
        <div key={id}>
          <span className={priority === 4 ? 'muted' : 'visually-hidden'}>{header}</span> {content}
        </div>
      )
    })
  return (
    <div className="row-card">
      <div className="first">{line(first)}</div>
      <div>{line(second)}</div>
      <div className="third">{line(third)}</div>
    </div>
  )
}

/** The most important columns first. */
function byPriority<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.toSorted((one, other) => (one.priority ?? 1) - (other.priority ?? 1))
}

/** A paged list of a view. */
export interface PagedTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly list: PagedList<Row>
  readonly filters: ReactNode
  /** True if the filters leave out entries. */
  readonly isFiltered: boolean
  /** Says that there are no entries at all, with a link to what to do next. */
  readonly empty: { readonly title: string; readonly about: string; readonly to: string; readonly action: string }
}

/** A paged list: its filters, then its table, or what to do if it has no entries. */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { label, columns, list, filters, isFiltered, empty } = props
  const scroller = useRef<HTMLElement>(null)
  return (
    <>
      <div className="actions">
        {filters} <LiveSwitch />
      </div>
      <ErrorNote error={list.error} />
      {list.isSearching && <output className="muted">Searching older entries…</output>}
      <div className="fill" {...useHold(list, scroller)}>
        <News
          list={list}
          onShow={() => {
            scroller.current?.scrollTo(0, 0)
            scroller.current?.focus()
          }}
        />
        {!list.isEmpty && <DataTable label={label} columns={columns} list={list} scroller={scroller} />}
        {list.isEmpty && isFiltered && (
          <Empty title={`No ${label.toLowerCase()} match`} about="Change or clear the filters." />
        )}
        {list.isEmpty && !isFiltered && (
          <Empty title={empty.title} about={empty.about}>
            <Link className="button primary" to={empty.to}>
              {empty.action}
            </Link>
          </Empty>
        )}
      </div>
    </>
  )
}

/** Returns the columns that fit, by priority, each with its width. The remaining space goes to those without a width. */
function columnsThatFit<Row>(columns: readonly Column<Row>[], space: number) {
  const leastOf = ({ width, minWidth }: Column<Row>) => width ?? minWidth
  const wanted = byPriority(columns)
  const sums = wanted.map((_, place) => wanted.slice(0, place + 1).reduce((sum, column) => sum + leastOf(column), 0))
  const count = Math.max(1, sums.filter(sum => sum <= space).length)
  const fitting = columns.filter(column => wanted.indexOf(column) < count)
  const rest = Math.max(0, space - (sums[count - 1] ?? 0))
  const flexible = fitting.reduce((sum, { minWidth = 0 }) => sum + minWidth, 0)
  return fitting.map(column => ({
    column,
    width: column.width ?? column.minWidth + Math.floor((rest * column.minWidth) / flexible),
  }))
}

/** A reader's position in a list, stored in the browser's history entry. */
interface Place {
  /** The top entry, its scroll offset in rows, and its index. */
  readonly id: string | undefined
  readonly offset: number
  readonly index: number
  /** The entry with the focus. */
  readonly focused: string | undefined
}

/** The number of rows to search for the former top of a reloaded list. */
const maxNewRows = 1_000

/**
 * Keeps the reader's position after a reload, on Back, and when the row height changes, and keeps the focus when rows
 * become cards. A list with another filter starts at its top.
 */
function usePlace<Row>(table: {
  readonly list: PagedList<Row>
  readonly virtualizer: Virtualizer<HTMLElement, Element>
  readonly body: RefObject<HTMLElement | null>
  readonly rowHeight: number
  readonly isReady: boolean
}) {
  const { list, virtualizer, body, rowHeight, isReady } = table
  const { key, entries, idOf } = list
  const { scrollElement } = virtualizer
  const location = useLocation()
  const openId = useParams().id
  const [wanted, setWanted] = useState<Place | undefined>(() => history.state?.place)
  const focused = useRef(wanted?.focused)
  const before = useRef({ key, rowHeight })

  const keep = () => {
    if (wanted || !isReady || list.isLoading) return
    const rowsAbove = (virtualizer.scrollOffset ?? 0) / rowHeight
    const index = Math.floor(rowsAbove)
    const top = entries[index]
    const place = { id: top && idOf(top), offset: rowsAbove - index, index, focused: focused.current }
    history.replaceState({ ...history.state, place: rowsAbove > 0 || focused.current ? place : undefined }, '')
  }
  const keepNow = useEffectEvent(keep)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is kept after scrolling, and in each entry of the history.
  useEffect(() => void (virtualizer.isScrolling || keepNow()), [virtualizer.isScrolling, location.key])

  useLayoutEffect(() => {
    if (!isReady || list.isLoading) return
    const was = before.current
    before.current = { key, rowHeight }
    if (was.rowHeight !== rowHeight) virtualizer.measure()
    let rowsAbove = 0
    if (wanted) {
      const index = entries.findIndex(entry => idOf(entry) === wanted.id)
      const inView = (scrollElement?.clientHeight ?? 0) / rowHeight
      const isShort = index < 0 ? entries.length < wanted.index + maxNewRows : entries.length < index + 1 + inView
      if (isShort && list.hasMore && !list.error) {
        list.loadMore()
        return
      }
      if (index >= 0) rowsAbove = index + wanted.offset
      setWanted(undefined)
    } else if (was.key === key) {
      if (was.rowHeight === rowHeight) return
      rowsAbove = (virtualizer.scrollOffset ?? 0) / was.rowHeight
    }
    scrollElement?.scrollTo(0, rowsAbove * rowHeight)
    // Even if that is already the position.
    scrollElement?.dispatchEvent(new Event('scroll'))
  })

  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const row = target instanceof Element && body.current?.contains(target) ? target.closest('.row') : null
      focused.current = linkOf(row)?.dataset.entry
      keepNow()
    }
    document.addEventListener('focusin', onFocus)
    return () => document.removeEventListener('focusin', onFocus)
  }, [body])
  useLayoutEffect(() => {
    if (!focused.current || document.activeElement !== document.body) return
    const link = body.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(focused.current)}"]`)
    link?.focus({ preventScroll: true })
  })

  const showOpen = useEffectEvent((id: string) => {
    const index = entries.findIndex(entry => idOf(entry) === id)
    if (index >= 0 && !wanted) virtualizer.scrollToIndex(index)
  })
  useEffect(() => {
    if (openId !== undefined) showOpen(openId)
  }, [openId])
  // The reader has left the row. React doesn't report a focused row that is removed.
  return () => {
    focused.current = undefined
  }
}

/** The maximum number of rows per second that fade in. If more arrive, none does. */
const maxFading = 3

/** Fades in the rows that appear at the top of a list while it's shown. */
function useFadeIn<Row>(body: RefObject<HTMLElement | null>, list: PagedList<Row>) {
  const { key, entries, idOf } = list
  const newest = entries[0] && idOf(entries[0])
  const before = useRef({ key, newest })
  const arrivals = useRef<readonly number[]>([])
  useLayoutEffect(() => {
    const was = before.current
    before.current = { key, newest }
    if (was.key !== key || was.newest === undefined || was.newest === newest) return
    const count = Math.max(
      0,
      entries.findIndex(entry => idOf(entry) === was.newest),
    )
    const now = performance.now()
    arrivals.current = [...arrivals.current.filter(at => at > now - 1_000), ...Array<number>(count).fill(now)]
    if (arrivals.current.length > maxFading || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const rows = [...(body.current?.querySelectorAll('.row') ?? [])].slice(0, count)
    for (const row of rows) row.animate({ opacity: [0, 1] }, { duration: 500, easing: 'ease-out' })
  }, [body, key, newest, entries, idOf])
}

/** Gives a truncated text a title, so that hovering shows all of it. */
function showWholeText({ target }: PointerEvent) {
  if (!(target instanceof HTMLElement)) return
  const cell = target.closest('td')
  for (const element of [target, cell])
    if (element && element.clientWidth > 0 && element.scrollWidth > element.clientWidth)
      element.title ||= element.textContent
}

/** Fills the space of rows that aren't rendered. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr>
      <td style={{ height }} />
    </tr>
  ) : null
}
