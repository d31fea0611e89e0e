import { stripVTControlCharacters } from 'node:util'
import Table from 'cli-table3'
import { paint } from './paint.ts'

/** How wide the terminal is, letters. Without end where there is none: in a pipe a line stays whole, for grep and cut. */
export function terminalWidth(): number {
  return process.stdout.columns || Number.POSITIVE_INFINITY
}

/** How wide a text is drawn at most: colours take no room, and whatever may be a wide letter counts twice. */
export function widthOf(text: string): number {
  const letters = [...stripVTControlCharacters(text)]
  return letters.reduce((width, letter) => width + (letter < '\u1100' ? 1 : 2), 0)
}

/** Text that may be cut within a word where room is short; of all other text the words stay whole, to be copied. */
export interface Cuttable {
  readonly cuttable: string
}

/** Marks a text with long words that is rarely copied out of a table: an e-mail address, JSON. */
export function cuttable(text: string): Cuttable {
  return { cuttable: text }
}

/** A text of a column. */
export type ColumnText = string | Cuttable

/** Less than this, letters, is no column to read a sentence in. */
const narrowest = 16

/** The text itself. */
function textOf(text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable
}

/** The text of a column of this width: its words are cut where they must be. */
function cutTo(width: number, text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable.replace(new RegExp(`\\S{${width}}(?=\\S)`, 'g'), '$& ')
}

/**
 * How wide each column is drawn, letters, so that a row is not wider than there is room: its own width where all fit, else the
 * widest ones are narrowed, and their text goes over several lines. Undefined where the words are too long for that.
 */
function fitColumns(columns: readonly (readonly ColumnText[])[], gap: number, room: number): number[] | undefined {
  const sizes = columns.map(texts => ({
    natural: Math.max(...texts.map(text => widthOf(textOf(text)))),
    least: Math.max(...texts.map(leastWidth)),
  }))
  const gaps = gap * (columns.length - 1)
  for (let limit = Math.max(...sizes.map(({ natural }) => natural)); limit > 0; limit--) {
    const widths = sizes.map(({ natural, least }) => Math.max(least, Math.min(natural, limit)))
    if (widths.reduce((sum, width) => sum + width, gaps) <= room) return widths
  }
  return undefined
}

function leastWidth(text: ColumnText): number {
  const readable = Math.min(widthOf(textOf(text)), narrowest)
  if (typeof text !== 'string') return readable
  return Math.max(readable, ...text.split(/\s+/).map(widthOf))
}

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

/**
 * A table for people; `none`, where it is given, in place of one without rows. Where the terminal is too narrow for its
 * columns, a block for each row, a cell a line.
 */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], none?: string): string {
  if (none !== undefined && rows.length === 0) return none
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
