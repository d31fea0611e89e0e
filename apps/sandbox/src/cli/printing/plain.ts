/** A value of JSON as people say it: `500 to 75000` of a band, `ES, PT` of a list, `none` of an empty one. */
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
