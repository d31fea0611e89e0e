import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** A text in a colour or weight, where standard output shows them: a terminal, unless NO_COLOR or FORCE_COLOR override it. */
export function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

const colours: Readonly<Record<string, Format>> = {
  ...coloured('green', 'distributed', 'delivered', 'accepted', 'passed', 'ok'),
  ...coloured('red', 'rejected', 'failed', 'declined', 'wrong'),
  ...coloured('yellow', 'new', 'pending', 'forced', 'warning', 'frozen'),
  ...coloured('dim', 'skipped'),
}

/** A value of the wire in the colour of what it means: green for well, red for ill. */
export function paintValue(value: string): string {
  const format = colours[value]
  return format === undefined ? value : paint(format, value)
}

/** An HTTP status in the colour of its class; 0 is a reply that never came. */
export function paintStatus(status: number): string {
  if (status === 0) return paint('red', 'no reply')
  return paint(status < 300 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
}

function coloured(format: Format, ...values: string[]): Record<string, Format> {
  return Object.fromEntries(values.map(value => [value, format]))
}
