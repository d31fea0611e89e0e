import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { PagedList } from '../data/paged-list.ts'
import { ErrorNote } from './elements.tsx'

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
  readonly list: Pick<PagedList<Row>, 'entries' | 'offset' | 'loadMore' | 'loadPrevious'>
  readonly rowId: (row: Row) => string
}) {
  const { columns, rowId } = props
  const { entries: rows, offset, loadMore, loadPrevious } = props.list
  const scroller = useRef<HTMLElement>(null)
  // Rows are numbered from here on: the kept ones begin at `first`.
  const base = offset - (offset % stretch)
  const first = offset - base
  useSteadyScroll(scroller, base)
  const virtual = useVirtualizer({
    count: first + rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const drawn = virtual.getVirtualItems()
  // Only these rows are made: a list may be as long as it likes.
  const data = drawn.flatMap(({ index }) => rows[index - first] ?? [])
  const table = useTable({ features, columns: columns as Column<Row>[], data, getRowId: rowId })
  const last = drawn.at(-1)
  const top = drawn[0]?.index ?? 0
  const isAtEnd = last !== undefined && last.index >= first + rows.length - rowsAhead
  useEffect(() => {
    if (isAtEnd) loadMore()
    else if (top < first + rowsAhead) loadPrevious(base + top)
  })
  const narrow = columns.map(({ wideOnly }) => (wideOnly ? 'wide-only' : undefined))
  const tableRows = table.getRowModel().rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard.
    <section className="table-scroll" ref={scroller} tabIndex={0} aria-label={props.label}>
      <table className="grid-table" aria-rowcount={offset + rows.length + 1}>
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
          <Spacer height={drawn[0]?.start ?? 0} />
          {drawn.map(({ index, key }) => (
            <tr key={key} className="row" aria-rowindex={base + index + 2}>
              {tableRows[index - Math.max(first, top)]?.getAllCells().map((cell, column) => (
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
  readonly rowId: (row: Row) => string
  readonly list: PagedList<Row>
  readonly filters: ReactNode
  readonly empty: ReactNode
}) {
  const { label, columns, rowId, list, filters, empty } = props
  return (
    <>
      <div className="toolbar">
        {filters}
        {list.showNewest && (
          <button type="button" onClick={list.showNewest}>
            Show the newest
          </button>
        )}
      </div>
      <ErrorNote error={list.error} />
      {list.isSearching && <output className="muted">Searching older entries…</output>}
      <div className="fill">
        {list.isEmpty ? empty : <DataTable key={list.key} label={label} columns={columns} list={list} rowId={rowId} />}
      </div>
    </>
  )
}

/** The last row of a short list: reads on where there is more. */
export function MoreRow<Row>({ list }: { readonly list: PagedList<Row> }) {
  if (!list.hasMore) return null
  return (
    <li>
      <button type="button" className="small" onClick={list.loadMore}>
        Show older
      </button>
    </li>
  )
}

/** Keeps the same rows in view where the number changes that the first one has. */
function useSteadyScroll(scroller: RefObject<HTMLElement | null>, base: number): void {
  const before = useRef(base)
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollTop += (before.current - base) * rowHeight
    before.current = base
  }, [scroller, base])
}

/** The height of the rows that are not drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr className="spacer">
      <td style={{ height }} />
    </tr>
  ) : null
}
