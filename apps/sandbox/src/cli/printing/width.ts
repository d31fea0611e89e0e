import { stripVTControlCharacters } from 'node:util'

/** How wide the terminal is, letters. Without end where there is none: in a pipe a line stays whole, for grep and cut. */
export function terminalWidth(): number {
  return process.stdout.columns || Number.POSITIVE_INFINITY
}

/** How wide a text is drawn at the most: colours take no room, and whatever may be a wide letter counts twice. */
export function widthOf(text: string): number {
  const letters = [...stripVTControlCharacters(text)]
  return letters.reduce((width, letter) => width + (letter < '\u1100' ? 1 : 2), 0)
}
