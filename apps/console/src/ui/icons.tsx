/** The paths of the icons on a 16-pixel grid, by name. */
const drawings = {
  leads: 'M3 3.5h10M3 8h10M3 12.5h6',
  submit: 'M2.5 8h9M8 4.5 11.5 8 8 11.5M13.5 3v10',
  requests: 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13',
  callbacks: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  clock: 'M8 4.5V8l2.3 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  faults: 'M9 2 3.5 9H8l-1 5 5.5-7H8l1-5Z',
  scenarios: 'M2.5 4h11M2.5 8h7M2.5 12h4M12 9.5v5M9.5 12h5',
  coverage: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 11.5l1.5 1.5 2.8-3',
  account: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8ZM3 13.2c.7-2.2 2.6-3.2 5-3.2s4.3 1 5 3.2',
  access: 'M5.5 13a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM7.5 8.2 12.5 3.2M10.3 5.4l2 2',
  snapshots: 'M3 5.5h2L6 4h4l1 1.5h2v7H3v-7ZM8 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  diagnose: 'M2 8.5h2.8L6.5 4l2.8 8 1.7-3.5H14',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6Z',
  system: 'M2.5 3.5h11v7.5h-11zM6 13.5h4',
  check: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  copy: 'M6 5.5h7v7.5H6zM3.5 10.5V3H10',
  down: 'M4 6.5 8 10.5 12 6.5',
  up: 'M8 13V3M4 7l4-4 4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  earlier: 'M4 9.5 8 5.5 12 9.5',
  overview: 'M2.5 13.5h11M4.5 13.5V9M8 13.5V3M11.5 13.5V6.5',
  book: 'M3 3.5h4.5L8 4l.5-.5H13V12H8.5L8 12.5 7.5 12H3zM8 4v8.5',
  comfortable: 'M2.5 2.5h11v4.5h-11zM2.5 9.5h11v4h-11z',
  compact: 'M2.5 3h11M2.5 6.3h11M2.5 9.7h11M2.5 13h11',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3 13.5 13.5',
} as const

/** The name of an icon. */
export type IconName = keyof typeof drawings

/** A decorative icon next to a label. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d={drawings[name]} stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}
