import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { PagedList } from '../data/paged-list.ts'
import { ErrorNote } from './elements.tsx'
import { News } from './paged-items.tsx'

/** None: the control plane filters and pages. */
const features = tableFeatures({})

/** A column of a {@link DataTable}. */
export type Column<Row extends RowData> = ColumnDef<typeof features, Row> & {
  /** Hidden on narrow pages. */
  readonly wideOnly?: boolean
  /** Width in pixels; default: the remaining space. */
  readonly width?: number
}

/** Row height in pixels, the same as in `content.css`. */
const rowHeight = 41

/** The number of rows before the end at which more are loaded. */
const rowsAhead = 100

/** The number of rows after which the scroll bar starts over: browsers draw nothing beyond 33 million pixels. */
const stretch = 400_000

/**
 * A table that draws only the rows in view, so its length doesn't matter. All rows have the same height. Near the end of
 * the loaded rows, more are loaded. A row in view that isn't loaded yet is blank.
 */
function DataTable<Row extends RowData>(props: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly list: PagedList<Row>
  readonly scroller: RefObject<HTMLElement | null>
}) {
  const { columns, list, scroller } = props
  const { entries, gap, idOf, loadMore, loadPrevious } = list
  const total = entries.length + gap.size
  // The number of the first row.
  const base = gap.size - (gap.size % stretch)
  useSteadyScroll(scroller, base, list.key)
  const virtual = useVirtualizer({
    count: total - base,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const entryAt = (row: number) =>
    row < gap.after ? entries[row] : row < gap.after + gap.size ? undefined : entries[row - gap.size]
  const drawn = virtual
    .getVirtualItems()
    .map(item => ({ ...item, row: base + item.index, entry: entryAt(base + item.index) }))
  // Creates only these rows, so the list may be of any length.
  const data = drawn.flatMap(({ entry }) => entry ?? [])
  const table = useTable({ features, columns: columns as Column<Row>[], data, getRowId: idOf })
  const [top, last] = [drawn[0], drawn.at(-1)]
  const isAtEnd = last !== undefined && last.row >= total - rowsAhead
  const isNearGap = gap.size > 0 && top !== undefined && top.row < gap.after + gap.size + rowsAhead
  useEffect(() => {
    if (isAtEnd) loadMore()
    else if (isNearGap) loadPrevious(top.row)
  })
  const narrow = columns.map(({ wideOnly }) => (wideOnly ? 'wide-only' : undefined))
  const { rowsById } = table.getRowModel()
  return (
    <section
      className="table-scroll"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={props.label}
      onScroll={({ currentTarget }) => list.hold(base > 0 || currentTarget.scrollTop > rowHeight)}
    >
      <table className="grid-table" aria-rowcount={total + 1}>
        <colgroup>
          {columns.map(({ id, width }, place) => (
            <col key={id} className={narrow[place]} width={width} />
          ))}
        </colgroup>
        <thead>
          {table.getHeaderGroups().map(group => (
            <tr key={group.id}>
              {group.headers.map((header, place) => (
                <th key={header.id} scope="col" className={narrow[place]}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          <Spacer height={top?.start ?? 0} />
          {drawn.map(({ row, entry }) => (
            // Keyed by entry, so the focus stays when a new entry is inserted before it.
            <tr key={entry ? idOf(entry) : row} className="row" aria-rowindex={row + 2}>
              {entry &&
                rowsById[idOf(entry)]?.getAllCells().map((cell, column) => (
                  <td key={cell.id} className={narrow[column]}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
            </tr>
          ))}
          <Spacer height={last ? virtual.getTotalSize() - last.end : 0} />
        </tbody>
      </table>
    </section>
  )
}

/** A paged list: its filters, then its table, or `empty` if it has no entries. */
export function PagedTable<Row extends RowData>(props: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly list: PagedList<Row>
  readonly filters: ReactNode
  readonly empty: ReactNode
}) {
  const { label, columns, list, filters, empty } = props
  const scroller = useRef<HTMLElement>(null)
  return (
    <>
      <div className="toolbar">{filters}</div>
      <ErrorNote error={list.error} />
      {list.isSearching && <output className="muted">Searching older entries…</output>}
      <div className="fill">
        <News list={list} onShow={() => scroller.current?.focus()} />
        {list.isEmpty ? empty : <DataTable label={label} columns={columns} list={list} scroller={scroller} />}
      </div>
    </>
  )
}

/** Keeps the same rows in view when the number of the first one changes. Scrolls to the top when the list starts over. */
function useSteadyScroll(scroller: RefObject<HTMLElement | null>, base: number, key: number): void {
  const before = useRef({ base, key })
  useLayoutEffect(() => {
    const { current } = before
    if (scroller.current && key !== current.key) scroller.current.scrollTop = 0
    else if (scroller.current) scroller.current.scrollTop += (current.base - base) * rowHeight
    before.current = { base, key }
  }, [scroller, base, key])
}

/** Takes the place of rows that aren't drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr>
      <td style={{ height }} />
    </tr>
  ) : null
}
