import { open, writeFile } from 'node:fs/promises'
import { stripVTControlCharacters, styleText } from 'node:util'
import Table from 'cli-table3'
import { CommandError } from './exit-codes.ts'
import { jsonOrText } from './values.ts'

type Format = Parameters<typeof styleText>[0]

/** A text in a colour or weight, where standard output shows them: a terminal, unless NO_COLOR or FORCE_COLOR override it. */
export function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

const colours: Readonly<Record<string, Format>> = {
  ...coloured('green', 'distributed', 'delivered', 'accepted', 'passed', 'ok'),
  ...coloured('red', 'rejected', 'failed', 'declined', 'wrong'),
  ...coloured('yellow', 'new', 'pending', 'forced', 'warning', 'frozen'),
  ...coloured('dim', 'skipped'),
}

/** A value of the wire in the colour of what it means: green for well, red for ill. */
export function paintValue(value: string): string {
  const format = colours[value]
  return format === undefined ? value : paint(format, value)
}

/** An outcome in its colour, and the reason where it has one. */
export function paintOutcome(outcome: string, reason: string | null | undefined): string {
  return reason ? `${paintValue(outcome)}: ${reason}` : paintValue(outcome)
}

/** An HTTP status in the colour of its class; 0 is a reply that never came. */
export function paintStatus(status: number): string {
  if (status === 0) return paint('red', 'no response')
  return paint(status < 300 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
}

function coloured(format: Format, ...values: string[]): Record<string, Format> {
  return Object.fromEntries(values.map(value => [value, format]))
}

/** The width of the terminal, letters. Infinite without one: in a pipe a line stays whole, for grep and cut. */
function terminalWidth(): number {
  return process.stdout.columns || Number.POSITIVE_INFINITY
}

/** The maximum width of a text: colors take no room, and a letter that may be wide counts twice. */
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

export type ColumnText = string | Cuttable

/** Less than this, letters, is no column to read a sentence in. */
const narrowest = 16

function textOf(text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable
}

/** The text of a column of this width: its words are cut where they must be. */
function cutTo(width: number, text: ColumnText): string {
  return typeof text === 'string' ? text : text.cuttable.replace(new RegExp(`\\S{${width}}(?=\\S)`, 'g'), '$& ')
}

/** Fits columns into the room by narrowing the widest. Undefined if the words are too long for that. */
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

/** The fields of a row that are cells. */
type CellName<Row> = keyof { [Name in keyof Row as Row[Name] extends Cell ? Name : never]: Name }

/** The columns of a table by their titles: a field of a row, or what makes a cell of the row. */
type Columns<Row> = Readonly<Record<string, CellName<Row> | ((row: Row) => Cell)>>

/** A table for people; empty if it has no rows. On a narrow terminal, a block for each row. */
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

/** A column with a time of the wire. */
export const time =
  <Key extends string>(key: Key) =>
  (row: { readonly [Name in Key]?: string | undefined }): string | undefined => {
    const value = row[key]
    return value && shortTime(value)
  }

/** A column with a value of the wire in its color. */
export const painted =
  <Key extends string>(key: Key) =>
  (row: { readonly [Name in Key]: string }): string =>
    paintValue(row[key])

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

/** The headers and the body of a message, indented if it is JSON. Neither is kept with control characters. */
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

/** A line of parts, those without content left out. Where the terminal is too narrow it goes on below, indented. */
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

/** A value of JSON as text for people: `500 to 75000` of a band, `ES, PT` of a list, `none` of an empty one. */
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

/** A time of the wire, short: `2026-01-31 09:30:00`, in UTC. Never relative: tenants have clocks of their own. */
export function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`
}

/** A list for people, and below it how to see the next page where there is one. */
export function withNext(list: string, next: string | undefined): string {
  return next === undefined ? list : `${list}\n${paint('dim', `There are more: add --before ${next}`)}`
}

/** Writes a report into the file that a flag names; nothing where it names none. */
export async function writeReport(file: string | undefined, report: () => string | Promise<string>): Promise<void> {
  if (file === undefined) return
  const text = await report()
  await writeFile(file, text).catch(error => {
    throw new CommandError(`Could not write ${file} (${error.code}): name a file in an existing folder.`)
  })
}

/** Writes keys or leads into a file that only its owner can read, also where it was there before. */
export async function writePrivate(file: string, text: string): Promise<void> {
  try {
    await using handle = await open(file, 'w', 0o600)
    // Not for a device such as /dev/null.
    if ((await handle.stat()).isFile()) await handle.chmod(0o600)
    await handle.writeFile(text)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`Could not write ${file} (${code}): name a file of your own in an existing folder.`)
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
