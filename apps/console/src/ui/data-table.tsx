import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { PagedList } from '../data/paged-list.ts'
import { ErrorNote } from './elements.tsx'
import { News } from './news.tsx'

/** Only what the table itself does: filters and pages are those of the control plane. */
const features = tableFeatures({})

/** A column of a {@link DataTable}. */
export type Column<Row extends RowData> = ColumnDef<typeof features, Row> & {
  /** Left out where the page is narrow. */
  readonly wideOnly?: boolean
  /** The width of the column, pixels; without one it takes what is left. */
  readonly width?: number
}

/** The height of a row, pixels; `content.css` sets the same. */
const rowHeight = 41

/** How many rows before the end of what is loaded more is asked for. */
const rowsAhead = 100

/** Every how many rows the scroll bar begins anew: a browser draws nothing beyond 33 million pixels. */
const stretch = 400_000

/**
 * A table that draws only the rows in view, so that its length does not matter. Rows have one height; where an end of those
 * that are kept comes near, more are asked for. One that is in view and not kept is blank until it is there.
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
  // Rows are numbered from here on.
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
  // Only these rows are made: a list may be as long as it likes.
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard.
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
            // By its entry: where a new one comes before it, the focus stays where it is.
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

/** A list that is read page by page: its filters, then its table, or `empty` where it holds nothing. */
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

/** Keeps the same rows in view where the number changes that the first one has; goes to the top where the list begins again. */
function useSteadyScroll(scroller: RefObject<HTMLElement | null>, base: number, key: number): void {
  const before = useRef({ base, key })
  useLayoutEffect(() => {
    const { current } = before
    if (scroller.current && key !== current.key) scroller.current.scrollTop = 0
    else if (scroller.current) scroller.current.scrollTop += (current.base - base) * rowHeight
    before.current = { base, key }
  }, [scroller, base, key])
}

/** The height of the rows that are not drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr className="spacer">
      <td style={{ height }} />
    </tr>
  ) : null
}
