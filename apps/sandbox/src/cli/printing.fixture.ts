import { stripVTControlCharacters } from 'node:util'

/** Returns the lines of the output for a terminal of this width, or for a pipe, without colors. */
export function drawnOn(columns: number | 'pipe', draw: () => string): string[] {
  const before = process.stdout.columns
  process.stdout.columns = columns === 'pipe' ? 0 : columns
  try {
    return stripVTControlCharacters(draw()).split('\n')
  } finally {
    process.stdout.columns = before
  }
}
