import { InvalidArgumentError } from 'commander'

/** Adds one `name=value`, the value as JSON or as a plain text, to those before it. */
export function setting(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, name, value = ''] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Give a name and a value, such as gender=required.')
  return { ...before, [name]: jsonOrText(value) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
