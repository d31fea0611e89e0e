import Table from 'cli-table3'
import { paint } from './paint.ts'

/** Nothing but two blanks between columns: it reads well, and cuts well. */
const borderless = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid']
      .flatMap(side => [side, `${side}-mid`, `${side}-left`, `${side}-right`, `left-${side}`, `right-${side}`])
      .map(name => [name, '']),
  ),
  middle: '  ',
}

/** A cell; nothing where it is undefined. */
export type Cell = string | number | undefined

/** A table for people. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return drawn([head.map(title => paint('bold', title)), ...rows])
}

/** Names with their values, one a line; those without a value are left out. */
export function list(entries: readonly (readonly [string, Cell])[]): string {
  return drawn(entries.filter(([, value]) => value !== undefined).map(([name, value]) => [paint('dim', name), value]))
}

/** Blocks with their titles, an empty line between them; those without content are left out. */
export function sections(...blocks: readonly (readonly [title: string, content: string | undefined])[]): string {
  return blocks
    .filter(([, content]) => content !== undefined && content !== '')
    .map(([title, content]) => `${paint('bold', title)}\n${content}`)
    .join('\n\n')
}

function drawn(rows: readonly (readonly Cell[])[]): string {
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true }
  const drawing = new Table({ chars: borderless, style })
  drawing.push(...rows.map(row => row.map(cell => (cell === undefined ? '' : String(cell)))))
  return drawing
    .toString()
    .split('\n')
    .map(row => row.trimEnd())
    .join('\n')
}
