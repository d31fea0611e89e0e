/** How a setting is edited: by one of its values, or as JSON. */
export type SettingInput =
  | { readonly name: string; readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly name: string; readonly kind: 'text' | 'json' }

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/**
 * The inputs of all settings, made from the OpenAPI document of the control plane, so that a new setting shows by itself.
 * Empty where the document does not declare them.
 */
export function settingInputs(document: unknown): readonly SettingInput[] {
  const { components } = Object(document) as { components?: { schemas?: Record<string, Schema> } }
  const settings = components?.schemas?.ChangeTenantInput?.properties?.settings?.properties ?? {}
  return Object.entries(settings).map(([name, schema]) =>
    schema.enum
      ? { name, kind: 'choice', values: schema.enum }
      : { name, kind: schema.type === 'string' ? 'text' : 'json' },
  )
}

/** The value of a setting from the text of its input. @throws SyntaxError where it has to be JSON and is not. */
export function settingValue({ kind }: SettingInput, text: string): unknown {
  return kind === 'json' ? JSON.parse(text) : text
}

/** The text that an input shows for a value. */
export function settingText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
