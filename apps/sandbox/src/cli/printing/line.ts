import { terminalWidth, widthOf } from './width.ts'

const gap = '  '

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
