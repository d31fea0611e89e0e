/** Rows in columns, two blanks between them; the last column is as wide as it comes. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map(row => row[place]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((text, place) => text.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}
