import { stripVTControlCharacters } from 'node:util'

/** The lines of what is drawn on a terminal so many letters wide, or in a pipe; without colors. */
export function drawnOn(columns: number | 'pipe', draw: () => string): string[] {
  const before = process.stdout.columns
  process.stdout.columns = columns === 'pipe' ? 0 : columns
  try {
    return stripVTControlCharacters(draw()).split('\n')
  } finally {
    process.stdout.columns = before
  }
}
