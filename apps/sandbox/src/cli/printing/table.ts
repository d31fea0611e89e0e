import Table from 'cli-table3'
import { type ColumnText, type Cuttable, cutTo, fitColumns, terminalWidth, textOf } from './columns.ts'
import { paint } from './paint.ts'

const gap = '  '

/** Nothing but two blanks between columns: it reads well, and cuts well. */
const borderless = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid']
      .flatMap(side => [side, `${side}-mid`, `${side}-left`, `${side}-right`, `left-${side}`, `right-${side}`])
      .map(name => [name, '']),
  ),
  middle: gap,
}

/** A cell; nothing where it is undefined. */
export type Cell = string | number | Cuttable | undefined

/** A table for people. Where the terminal is too narrow for its columns, a block for each row, a cell a line. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [head.map(title => paint('bold', title)), ...rows.map(row => row.map(textIn))]
  const widths = widthsOf(cells)
  if (widths) return drawn(cells, widths)
  return rows.map(row => list(head.map((title, place) => [title, row[place]]))).join('\n\n')
}

/** Names with their values, one a line; those without a value are left out. */
export function list(entries: readonly (readonly [string, Cell])[]): string {
  const cells = entries.map(([name, value]) => [paint('dim', name), textIn(value)]).filter(([, value]) => value !== '')
  return drawn(cells, widthsOf(cells))
}

/** Blocks with their titles, an empty line between them; those without content are left out. */
export function sections(...blocks: readonly (readonly [title: string, content: string | undefined])[]): string {
  return blocks
    .filter(([, content]) => content !== undefined && content !== '')
    .map(([title, content]) => `${paint('bold', title)}\n${content}`)
    .join('\n\n')
}

function textIn(cell: Cell): ColumnText {
  return typeof cell === 'object' ? cell : String(cell ?? '')
}

function widthsOf(rows: readonly (readonly ColumnText[])[]): number[] | undefined {
  const columns = (rows[0] ?? []).map((_, place) => rows.map(row => row[place] ?? ''))
  return fitColumns(columns, gap.length, terminalWidth())
}

/** Draws rows; without widths as wide as they come. */
function drawn(rows: readonly (readonly ColumnText[])[], widths?: readonly number[]): string {
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true }
  const drawing = new Table({ chars: borderless, style, wordWrap: true, colWidths: [...(widths ?? [])] })
  drawing.push(...rows.map(row => row.map((text, place) => (widths ? cutTo(widths[place] ?? 0, text) : textOf(text)))))
  return drawing
    .toString()
    .split('\n')
    .map(row => row.trimEnd())
    .join('\n')
}
