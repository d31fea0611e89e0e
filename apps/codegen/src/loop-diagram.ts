// The sequence diagram of the front page. A page shows the one that fits its theme, so it is written in two palettes.

interface Palette {
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly box: string
  readonly accent: string
}

const palettes = {
  light: { text: '#1f2328', muted: '#59636e', line: '#818b98', box: '#eef2f7', accent: '#0b57a4' },
  dark: { text: '#e6edf3', muted: '#9da7b3', line: '#6e7681', box: '#22272e', accent: '#79b8ff' },
} as const satisfies Record<string, Palette>

const participants = ['Customer', 'Publisher', 'Service', 'Advertiser'] as const
type Participant = (typeof participants)[number]

/** The messages of one round trip, in their order: from, to, what is sent. */
const messages: readonly (readonly [Participant, Participant, string])[] = [
  ['Customer', 'Publisher', 'applies for a loan'],
  ['Publisher', 'Service', 'POST /lead'],
  ['Service', 'Advertiser', 'offers the lead'],
  ['Service', 'Publisher', 'distributed, redirect_url'],
  ['Publisher', 'Customer', 'redirect'],
  ['Customer', 'Advertiser', 'opens redirect_url'],
  ['Advertiser', 'Service', 'postback: approved'],
  ['Service', 'Publisher', 'callback: lead_id, event'],
]

const width = 720
const [left, step] = [80, 187]
const [top, pitch] = [62, 34]
const height = top + messages.length * pitch + 8
const xOf = (name: Participant) => left + participants.indexOf(name) * step

/** The loop as SVG. */
export function loopDiagram(theme: keyof typeof palettes): string {
  const colours = palettes[theme]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13">`,
    '<title>The loop of a lead</title>',
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colours.accent}"/></marker></defs>`,
    ...participants.flatMap(name => lifeline(name, colours)),
    ...messages.flatMap((message, index) => arrow(message, top + (index + 0.6) * pitch, colours)),
    '</svg>\n',
  ].join('\n')
}

function lifeline(name: Participant, { text, line, box }: Palette): string[] {
  const x = xOf(name)
  return [
    `<line x1="${x}" y1="42" x2="${x}" y2="${height}" stroke="${line}" stroke-dasharray="2 4"/>`,
    `<rect x="${x - 62}" y="8" width="124" height="34" rx="6" fill="${box}" stroke="${line}"/>`,
    `<text x="${x}" y="30" text-anchor="middle" font-weight="600" fill="${text}">${name}</text>`,
  ]
}

function arrow([from, to, label]: (typeof messages)[number], y: number, { text, muted, accent }: Palette): string[] {
  const [x1, x2] = [xOf(from), xOf(to)]
  // An arrow over several lifelines has its label next to the sender, clear of the lines between.
  const near = Math.abs(x1 - x2) > step ? x1 + (Math.sign(x2 - x1) * step) / 2 : (x1 + x2) / 2
  const fill = from === 'Customer' || to === 'Customer' ? muted : text
  return [
    `<line x1="${x1}" y1="${y}" x2="${x2}" y2="${y}" stroke="${accent}" stroke-width="1.5" marker-end="url(#arrow)"/>`,
    `<text x="${near}" y="${y - 6}" text-anchor="middle" fill="${fill}">${label}</text>`,
  ]
}
