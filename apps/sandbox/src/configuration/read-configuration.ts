import { isAlias, isCollection, isMap, LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml'
import { RefusedStart } from '../open-sandbox.ts'
import { readInput } from '../read-input.ts'
import { checkConfiguration, RefusedConfiguration } from './apply-configuration.ts'
import type { Configuration } from './configuration.ts'

export interface ConfigurationFile {
  readonly configuration: Configuration
  /** Creates the error for a rejected configuration, with file, line and column of each issue. */
  located(error: unknown): unknown
}

/**
 * Reads a configuration from a JSON or YAML file. JSON is a subset of YAML, so one parser provides positions for both.
 * @throws RefusedStart the file cannot be read, or is not a configuration.
 */
export async function readConfiguration(file: string): Promise<ConfigurationFile> {
  const lineCounter = new LineCounter()
  // YAML does not allow tabs as indentation, but JSON does. One space per tab preserves the columns.
  const input = await readInput(file).catch(({ message }: Error) => {
    throw new RefusedStart(message)
  })
  const text = input.replace(/^\t+/gm, tabs => ' '.repeat(tabs.length))
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const [broken] = document.errors
  if (broken) throw new RefusedStart(`${at(broken.pos[0])}: this is neither JSON nor YAML: ${broken.message}.`)

  const located = (error: unknown) => {
    if (!(error instanceof RefusedConfiguration)) return error
    const lines = error.issues.map(({ field, issue }) => `${at(offsetOf(document.contents, field))}: ${field} ${issue}`)
    return new RefusedStart(lines.join('\n'))
  }
  try {
    return { configuration: checkConfiguration(document.toJS()), located }
  } catch (error) {
    throw located(error)
  }

  /** The position of a field, or of the closest existing field above it. */
  function offsetOf(root: ParsedNode | null, field: string): number {
    let node: Node | null | undefined = root
    let offset = root?.range[0] ?? 0
    for (const name of field.split('.')) {
      if (isAlias(node)) node = node.resolve(document)
      const pair = isMap(node) ? node.items.find(({ key }) => String(key) === name) : undefined
      const next: Node | undefined = isCollection(node) ? (node.get(name, true) as Node | undefined) : undefined
      const found = (pair?.key as Node | undefined) ?? next
      if (!found?.range) break
      offset = found.range[0]
      node = next
    }
    return offset
  }
}
