import {
  type CSSProperties,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Link } from 'react-router'
import type { PagedList } from '../data/paged-list.ts'
import { Empty, ErrorNote, Skeleton } from './elements.tsx'
import { News } from './paged-items.tsx'
import { density, useStoredChoice } from './stored-choice.ts'

/** A column of a {@link PagedTable}: as wide as its `width`, or at least `minWidth` and a share of the remaining space. */
export type Column<Row> = {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Columns that don't fit go, the highest number first. 5 isn't on a card. Default: 1. */
  readonly priority?: 1 | 2 | 3 | 4 | 5
} & ({ readonly width: number; readonly minWidth?: never } | { readonly minWidth: number; readonly width?: never })

/** Heights of a row in pixels. Rows have a fixed height, so the list may be of any length. */
const rowHeights = { comfortable: 41, compact: 33, card: 92 }

/** The width in pixels below which a row is a card. It's the table's own width, because details may be next to it. */
const cardsBelow = 560

/** The number of rows that are drawn above and below the ones in view. */
const overscan = 12

/** The number of rows before the end at which more are loaded. */
const rowsAhead = 100

/** The number of rows after which the scroll bar starts over: browsers draw nothing beyond 17 million pixels. */
const stretch = 150_000

/** The number of rows that are drawn before the first ones are loaded. */
const rowsWhileLoading = 8

/**
 * A table that draws only the rows in view, so its length doesn't matter. Near the end of the loaded rows, more are loaded.
 * A row in view that isn't loaded yet is a skeleton.
 */
function DataTable<Row>(props: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly list: PagedList<Row>
  readonly scroller: RefObject<HTMLElement | null>
}) {
  const { label, columns, list, scroller } = props
  const { entries, gap, idOf, loadMore, loadPrevious } = list
  const isLoading = list.key === 0 && !list.error
  const total = isLoading ? rowsWhileLoading : entries.length + gap.size
  // The number of the first row.
  const base = gap.size - (gap.size % stretch)
  const rowDensity = useStoredChoice(density)
  const size = useSize(scroller)
  const isCards = size.width < cardsBelow
  const rowHeight = rowHeights[isCards ? 'card' : rowDensity]
  const top = useSteadyTop(scroller, base, rowHeight, list.key)
  const body = useRef<HTMLTableSectionElement>(null)
  useFadeIn(body, list)
  useSteadyFocus(body, isCards)

  const first = base + Math.max(0, top.row - overscan)
  const end = Math.min(total, base + top.row + Math.ceil(size.height / rowHeight) + overscan)
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
  const entryAt = (row: number) =>
    row < gap.after ? entries[row] : row < gap.after + gap.size ? undefined : entries[row - gap.size]
  const isAtEnd = end >= total - rowsAhead
  const isNearGap = gap.size > 0 && first < gap.after + gap.size + rowsAhead
  useEffect(() => {
    if (isAtEnd) loadMore()
    else if (isNearGap) loadPrevious(first)
  })
  const shown = columnsThatFit(columns, size.width)
  return (
    <section
      className="table-scroll"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      aria-busy={isLoading}
      style={{ '--row-height': `${rowHeight}px` } as CSSProperties}
      onScroll={({ currentTarget }) => {
        top.follow()
        list.hold(base > 0 || currentTarget.scrollTop > rowHeight)
      }}
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
        <tbody ref={body} onPointerOver={showWholeText}>
          <Spacer height={(first - base) * rowHeight} />
          {rows.map(row => {
            const entry = entryAt(row)
            return (
              // Keyed by entry, so the focus stays when a new entry is inserted before it.
              <tr key={entry ? idOf(entry) : row} className="row" aria-rowindex={row + 2}>
                {isCards ? (
                  <td>{entry ? <CardOf entry={entry} columns={columns} /> : <Skeleton />}</td>
                ) : (
                  shown.map(({ column }) => <td key={column.id}>{entry ? column.cell(entry) : <Skeleton />}</td>)
                )}
              </tr>
            )
          })}
          <Spacer height={(total - end) * rowHeight} />
        </tbody>
      </table>
    </section>
  )
}

/**
 * A row of a narrow table: what names the entry, its status with the outcome, and less important columns, 4 with its header.
 * An empty cell is left out.
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
      <div className="toolbar">{filters}</div>
      <ErrorNote error={list.error} />
      {list.isSearching && <output className="muted">Searching older entries…</output>}
      <div className="fill">
        <News list={list} onShow={() => scroller.current?.focus()} />
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

/** The size of an element in pixels, without its border. An element that is hidden keeps its size. */
function useSize(element: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = current
      if (width > 0) setSize({ width, height })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}

/**
 * Returns the row at the top, counted from `base`. Keeps it in view when the base or the height of the rows changes, and
 * scrolls to the top when the list starts over.
 */
function useSteadyTop(scroller: RefObject<HTMLElement | null>, base: number, rowHeight: number, key: number) {
  const [row, setRow] = useState(0)
  // In rows, because the browser cuts the scroll position off before the effect below if all rows become lower.
  const position = useRef(0)
  const follow = () => {
    position.current = (scroller.current?.scrollTop ?? 0) / rowHeight
    setRow(Math.floor(position.current))
  }
  const before = useRef({ base, rowHeight, key })
  useLayoutEffect(() => {
    const { current: was } = before
    const { current: element } = scroller
    before.current = { base, rowHeight, key }
    if (!element || (was.base === base && was.rowHeight === rowHeight && was.key === key)) return
    const place = was.rowHeight === rowHeight ? element.scrollTop / rowHeight : position.current
    const rowsAbove = place + was.base - base
    element.scrollTop = key === was.key ? rowsAbove * rowHeight : 0
    setRow(Math.floor(element.scrollTop / rowHeight))
  }, [scroller, base, rowHeight, key])
  return { row, follow }
}

/** Fades in the rows that appear at the top of a list while it's shown. */
function useFadeIn<Row>(body: RefObject<HTMLElement | null>, list: PagedList<Row>) {
  const { key, entries, idOf } = list
  const newest = entries[0] && idOf(entries[0])
  const before = useRef({ key, newest })
  useLayoutEffect(() => {
    const was = before.current
    before.current = { key, newest }
    if (was.key !== key || was.newest === undefined || was.newest === newest) return
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const count = entries.findIndex(entry => idOf(entry) === was.newest)
    const rows = [...(body.current?.querySelectorAll('.row') ?? [])].slice(0, Math.max(0, count))
    for (const row of rows) row.animate({ opacity: [0, 1] }, { duration: 500, easing: 'ease-out' })
  }, [body, key, newest, entries, idOf])
}

/** Keeps the focus on the link of an entry when rows become cards, or cards rows. */
function useSteadyFocus(body: RefObject<HTMLElement | null>, isCards: boolean) {
  const focused = useRef<string | null>(undefined)
  const before = useRef(isCards)
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      const row = target instanceof HTMLAnchorElement ? target.closest('.row') : null
      focused.current = row && body.current?.contains(row) ? row.getAttribute('aria-rowindex') : undefined
    }
    document.addEventListener('focusin', follow)
    return () => document.removeEventListener('focusin', follow)
  }, [body])
  useLayoutEffect(() => {
    if (before.current === isCards) return
    before.current = isCards
    if (focused.current && document.activeElement === document.body)
      body.current?.querySelector<HTMLElement>(`[aria-rowindex="${focused.current}"] a`)?.focus({ preventScroll: true })
  })
}

/** Gives a text that is cut a title, so hovering shows all of it. */
function showWholeText({ target }: PointerEvent) {
  if (!(target instanceof HTMLElement)) return
  const cell = target.closest('td')
  for (const element of [target, cell])
    if (element && element.clientWidth > 0 && element.scrollWidth > element.clientWidth)
      element.title ||= element.textContent
}

/** Takes the place of rows that aren't drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr>
      <td style={{ height }} />
    </tr>
  ) : null
}
