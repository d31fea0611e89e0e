import { formatWord } from './format.ts'

/** How a setting is edited: by one of its values, or as JSON. */
export type SettingInput = {
  readonly name: string
  /** Why there is such a setting. */
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
 * The inputs of all settings, made from the OpenAPI document of the control plane, so that a new setting shows by itself.
 * Empty where the document does not declare them.
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

/** The value of a setting from the text of its input. @throws SyntaxError where it has to be JSON and is not. */
export function settingValue({ kind, name }: SettingInput, text: string): unknown {
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`${formatWord(name)} must be JSON: ${(error as Error).message}`)
  }
}

/** The text that an input shows for a value. */
export function settingText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
