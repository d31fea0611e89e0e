import { formatWord } from './format.ts'

/** The input of a setting: a choice of values, text, or JSON. */
export type SettingInput = {
  readonly name: string
  /** The reason for the setting. */
  readonly reason: string | undefined
} & ({ readonly kind: 'choice'; readonly values: readonly string[] } | { readonly kind: 'text' | 'json' })

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly $ref?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/**
 * Derives the inputs of all settings from the OpenAPI document of the control plane, so that a new setting appears
 * automatically. Empty if the document doesn't declare them.
 */
export function settingInputs(document: unknown): readonly SettingInput[] {
  const { components } = Object(document) as { components?: { schemas?: Record<string, Schema> } }
  const schemas = components?.schemas
  const settings = schemas?.ChangeTenantInput?.properties?.settings
  const named = schemas?.[settings?.$ref?.split('/').at(-1) ?? ''] ?? settings
  return Object.entries(named?.properties ?? {}).map(([name, schema]) => {
    const input = { name, reason: schema.description }
    if (schema.enum) return { ...input, kind: 'choice', values: schema.enum }
    return { ...input, kind: schema.type === 'string' ? 'text' : 'json' }
  })
}

/** Returns the value of a setting from the text of its input. @throws SyntaxError if it must be JSON and isn't. */
export function settingValue({ kind, name }: SettingInput, text: string): unknown {
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`${formatWord(name)} must be JSON: ${(error as Error).message}`)
  }
}

/** Returns the text that an input shows for a value. */
export function settingText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
