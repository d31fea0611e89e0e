/** The paths of the icons on a 16-pixel grid, by name. */
const drawings = {
  leads: 'M3 3.5h10M3 8h10M3 12.5h6',
  submit: 'M2.5 8h9M8 4.5 11.5 8 8 11.5M13.5 3v10',
  requests: 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13',
  callbacks: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  clock: 'M8 4.5V8l2.3 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  faults: 'M9 2 3.5 9H8l-1 5 5.5-7H8l1-5Z',
  scenarios: 'M2.5 4h11M2.5 8h7M2.5 12h4M12 9.5v5M9.5 12h5',
  coverage: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 11.5l1.500 1.500 2.800-3',
  account: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8ZM3 13.2c.7-2.2 2.6-3.2 5-3.2s4.300 1 5 3.200',
  access: 'M5.500 13a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600ZM7.500 8.200 12.500 3.200M10.300 5.400l2 2',
  snapshots: 'M3 5.500h2L6 4h4l1 1.500h2v7H3v-7ZM8 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  diagnose: 'M2 8.500h2.800L6.500 4l2.800 8 1.700-3.500H14',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  sun: 'M8 10.800a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600ZM8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M3.400 12.600l.9-.9M11.700 4.300l.9-.9',
  moon: 'M13 9.600A5.500 5.500 0 0 1 6.400 3 5.500 5.500 0 1 0 13 9.600Z',
  system: 'M2.500 3.500h11v7.500h-11zM6 13.500h4',
  check: 'M3.500 8.500 6.500 11.500 12.500 4.500',
  copy: 'M6 5.500h7v7.500H6zM3.500 10.500V3H10',
  down: 'M4 6.500 8 10.500 12 6.500',
  up: 'M8 13V3M4 7l4-4 4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  earlier: 'M4 9.500 8 5.500 12 9.500',
  overview: 'M2.5 13.5h11M4.5 13.5V9M8 13.5V3M11.500 13.500V6.500',
  book: 'M3 3.500h4.500L8 4l.500-.500H13V12H8.500L8 12.500 7.500 12H3zM8 4v8.500',
  comfortable: 'M2.500 2.500h11v4.500h-11zM2.500 9.500h11v4h-11z',
  compact: 'M2.500 3h11M2.500 6.300h11M2.500 9.700h11M2.500 13h11',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9ZM10.300 10.300 13.500 13.500',
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
