/** The content type of the text format of Prometheus, version 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** One value under its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric in the text format: what it is, then a line for each sample. The help holds no newline and no backslash. */
export function exposition(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly Sample[],
): readonly string[] {
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelSet(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function labelSet(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
