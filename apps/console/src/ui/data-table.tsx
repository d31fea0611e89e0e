import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
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

/**
 * A table that draws only the rows in view, so that its length does not matter. Rows have one height; where the last of
 * them comes into view, more are asked for.
 */
function DataTable<Row extends RowData>(props: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId: (row: Row) => string
  readonly onEnd?: () => void
}) {
  const { columns, rows, rowId, onEnd } = props
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const drawn = virtual.getVirtualItems()
  // Only these rows are made: a list may be as long as it likes.
  const data = drawn.flatMap(({ index }) => rows[index] ?? [])
  const table = useTable({ features, columns: columns as Column<Row>[], data, getRowId: rowId })
  const last = drawn.at(-1)
  const isAtEnd = last !== undefined && last.index >= rows.length - 1
  useEffect(() => {
    if (isAtEnd) onEnd?.()
  }, [isAtEnd, onEnd])
  const narrow = columns.map(({ wideOnly }) => (wideOnly ? 'wide-only' : undefined))
  const tableRows = table.getRowModel().rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard.
    <section className="table-scroll" ref={scroller} tabIndex={0} aria-label={props.label}>
      <table className="grid-table" aria-rowcount={rows.length + 1}>
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
          {drawn.map(({ index, key }, place) => (
            <tr key={key} className="row" aria-rowindex={index + 2}>
              {tableRows[place]?.getAllCells().map((cell, column) => (
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
        {list.isEmpty ? (
          empty
        ) : (
          <DataTable label={label} columns={columns} rows={list.entries} rowId={rowId} onEnd={list.loadMore} />
        )}
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

/** The height of the rows that are not drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr className="spacer">
      <td style={{ height }} />
    </tr>
  ) : null
}
