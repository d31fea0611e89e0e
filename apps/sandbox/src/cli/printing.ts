import { open, writeFile } from 'node:fs/promises'
import { stripVTControlCharacters, styleText } from 'node:util'
import Table from 'cli-table3'
import { CommandError } from './exit-codes.ts'
import { jsonOrText } from './values.ts'

type Format = Parameters<typeof styleText>[0]

/** Styles text if standard output supports it: on a terminal, unless NO_COLOR or FORCE_COLOR override that. */
export function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

const colours: Readonly<Record<string, Format>> = {
  ...coloured('green', 'distributed', 'delivered', 'accepted', 'passed', 'ok'),
  ...coloured('red', 'rejected', 'failed', 'declined', 'wrong'),
  ...coloured('yellow', 'new', 'pending', 'forced', 'warning', 'frozen'),
  ...coloured('dim', 'skipped'),
}

/** Colors a wire value by its meaning: green for success, red for failure. */
export function paintValue(value: string): string {
  const format = colours[value]
  return format === undefined ? value : paint(format, value)
}

/** Returns an outcome in its color, followed by the reason if there is one. */
export function paintOutcome(outcome: string, reason: string | null | undefined): string {
  return reason ? `${paintValue(outcome)}: ${reason}` : paintValue(outcome)
}

/** Returns an HTTP status in the color of its class; 0 means that the response never arrived. */
export function paintStatus(status: number): string {
  if (status === 0) return paint('red', 'no response')
  return paint(status < 300 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
}

function coloured(format: Format, ...values: string[]): Record<string, Format> {
  return Object.fromEntries(values.map(value => [value, format]))
}

/** The width of the terminal in columns. Infinite for a pipe, so that lines stay whole for grep and cut. */
function terminalWidth(): number {
  return process.stdout.columns || Number.POSITIVE_INFINITY
}

/** Returns the display width of a text: colors have no width, and wide characters count twice. */
export function widthOf(text: string): number {
  const letters = [...stripVTControlCharacters(text)]
  return letters.reduce((width, letter) => width + (letter < '\u1100' ? 1 : 2), 0)
}

/**
 * Text that may be cut within a word if room is short. In any other text, words stay whole so that they can be copied.
 */
export interface Cuttable {
  readonly cuttable: string
}

/** Marks text with long words that is rarely copied out of a table: an e-mail address, JSON. */
export function cuttable(text: string): Cuttable {
  return { cuttable: text }
}

export type ColumnText = string | Cuttable

/** The minimum width of a readable column. */
const narrowest = 16

function textOf(text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable
}

/** Wraps text to the width of a column, cutting words if necessary. */
function cutTo(width: number, text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable.replace(new RegExp(`\\S{${width}}(?=\\S)`, 'g'), '$& ')
}

/** Fits columns into the available width by narrowing the widest. Undefined if the words are too long. */
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

/** No borders, only two spaces between columns, which is easy to read and to `cut`. */
const borderless = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid']
      .flatMap(side => [side, `${side}-mid`, `${side}-left`, `${side}-right`, `left-${side}`, `right-${side}`])
      .map(name => [name, '']),
  ),
  middle: gap,
}

/** A cell; undefined is empty. */
export type Cell = string | number | Cuttable | undefined

/** The fields of a row that can be cells. */
type CellName<Row> = keyof { [Name in keyof Row as Row[Name] extends Cell ? Name : never]: Name }

/** The columns of a table by title: a field of the row, or a function that returns a cell. */
type Columns<Row> = Readonly<Record<string, CellName<Row> | ((row: Row) => Cell)>>

/** Formats a table for people; empty if it has no rows. On a narrow terminal, it prints a block for each row. */
export function table<Row>(
  rows: readonly Row[],
  columns: Columns<Row> | readonly (readonly [title: string, (row: Row) => Cell])[],
): string {
  if (rows.length === 0) return ''
  const shown: [string, Columns<Row>[string]][] = Array.isArray(columns) ? columns : Object.entries(columns)
  const head = shown.map(([title]) => title)
  const cells = rows.map(row =>
    shown.map(([, cell]) => textIn(typeof cell === 'function' ? cell(row) : (row[cell] as Cell))),
  )
  const titled = [head.map(title => paint('bold', title)), ...cells]
  const widths = widthsOf(titled)
  if (widths) return drawn(titled, widths)
  return cells.map(row => list(head.map((title, place) => [title, row[place]]))).join('\n\n')
}

/** Creates a column that shows a wire time. */
export const time =
  <Key extends string>(key: Key) =>
  (row: { readonly [Name in Key]?: string | undefined }): string | undefined => {
    const value = row[key]
    return value && shortTime(value)
  }

/** Creates a column that shows a wire value in color. */
export const painted =
  <Key extends string>(key: Key) =>
  (row: { readonly [Name in Key]: string }): string =>
    paintValue(row[key])

/** Formats names and values, one pair per line; omits those without a value. */
export function list(entries: readonly (readonly [string, Cell])[]): string {
  const cells = entries.map(([name, value]) => [paint('dim', name), textIn(value)]).filter(([, value]) => value !== '')
  return drawn(cells, widthsOf(cells))
}

/** Formats titled blocks, separated by an empty line; omits those without content. */
export function sections(...blocks: readonly (readonly [title: string, content: string | undefined])[]): string {
  return blocks
    .filter(([, content]) => content !== undefined && content !== '')
    .map(([title, content]) => `${paint('bold', title)}\n${content}`)
    .join('\n\n')
}

/** Formats a message's headers and body, indented if it is JSON. Both were stored without control characters. */
export function contentText(headers: Readonly<Record<string, string>>, body: string | undefined): string {
  const lines = Object.entries(headers).map(([name, value]) => `${paint('dim', `${name}:`)} ${value}`)
  if (body === undefined || body === '') return lines.join('\n')
  return [...lines, ...(lines.length > 0 ? [''] : []), indented(body)].join('\n')
}

function indented(text: string): string {
  const value = jsonOrText(text)
  return typeof value === 'string' ? text : JSON.stringify(value, null, 2)
}

function textIn(cell: Cell): ColumnText {
  return typeof cell === 'object' ? cell : String(cell ?? '')
}

function widthsOf(rows: readonly (readonly ColumnText[])[]): number[] | undefined {
  const columns = (rows[0] ?? []).map((_, place) => rows.map(row => row[place] ?? ''))
  return fitColumns(columns, gap.length, terminalWidth())
}

/** Draws rows; without widths, at their natural width. */
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

/** Joins parts to a line; omits empty ones. On a narrow terminal, continues on the next line, indented. */
export function line(parts: readonly (string | undefined)[]): string {
  const [first = '', ...others] = parts.filter(part => part)
  const lines = [first]
  for (const part of others) {
    const longer = `${lines.at(-1)}${gap}${part}`
    if (widthOf(longer) <= terminalWidth()) lines[lines.length - 1] = longer
    else lines.push(`${gap}${gap}${part}`)
  }
  return lines.join('\n')
}

/** Formats a JSON value for people: `500 to 75000` for a range, `ES, PT` for a list, `none` for an empty list. */
export function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value)
  if (isBand(value) && entries.length === 2) return `${value.min} to ${value.max}`
  return entries.map(([name, each]) => `${name}: ${plain(each)}`).join('; ')
}

function isBand(value: object): value is { readonly min: unknown; readonly max: unknown } {
  return 'min' in value && 'max' in value
}

/** Shortens a wire time to `2026-01-31 09:30:00`, in UTC. Never relative, because tenants have their own clocks. */
export function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`
}

/** Formats a list for people, followed by how to get the next page if there is one. */
export function withNext(list: string, next: string | undefined): string {
  return next === undefined ? list : `${list}\n${paint('dim', `There are more: add --before ${next}`)}`
}

/** Writes a report to the file given by a flag, if there is one. */
export async function writeReport(file: string | undefined, report: () => string | Promise<string>): Promise<void> {
  if (file === undefined) return
  const text = await report()
  await writeFile(file, text).catch(error => {
    throw new CommandError(`Could not write ${file} (${error.code}): pass a file in an existing folder.`)
  })
}

/** Writes keys or leads to a file that only its owner can read, even if the file already existed. */
export async function writePrivate(file: string, text: string): Promise<void> {
  try {
    await using handle = await open(file, 'w', 0o600)
    // Not for a device such as /dev/null.
    if ((await handle.stat()).isFile()) await handle.chmod(0o600)
    await handle.writeFile(text)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`Could not write ${file} (${code}): pass a file of your own in an existing folder.`)
  }
}

/** Shows a spinner on a terminal's stderr until the work is done. */
export async function withProgress<Value>(text: string, work: () => Promise<Value>): Promise<Value> {
  if (!process.stderr.isTTY) return work()
  const { default: spinner } = await import('yocto-spinner')
  const shown = spinner({ text }).start()
  try {
    return await work()
  } finally {
    shown.stop()
  }
}
