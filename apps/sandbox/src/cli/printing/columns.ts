import { stripVTControlCharacters } from 'node:util'

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
export function textOf(text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable
}

/** The text of a column of this width: its words are cut where they must be. */
export function cutTo(width: number, text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable.replace(new RegExp(`\\S{${width}}(?=\\S)`, 'g'), '$& ')
}

/**
 * How wide each column is drawn, letters, so that a row is not wider than there is room: its own width where all fit, else the
 * widest ones are narrowed, and their text goes over several lines. Undefined where the words are too long for that.
 */
export function fitColumns(
  columns: readonly (readonly ColumnText[])[],
  gap: number,
  room: number,
): number[] | undefined {
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
