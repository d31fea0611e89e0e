// Apart from the shapes, for the command line: zod takes longer to load than a verb.
import { formalInterpretation, proseInterpretation, usualTokenFormat } from '@lead-distribution/contract'
import type { Settings, SettingsOverrides } from './settings.ts'

/** The settings of the specification's prose and quick start: the default. */
export const proseProfile: Settings = {
  profile: 'prose',
  ...proseInterpretation,
  semantic_refusals: 'http_422',
  status_methods: ['POST', 'PATCH'],
  status_vocabulary: 'known',
  callback_event_names: 'usage',
  absent_fields: 'omit',
  duplicate_window: 'PT60S',
  callback_retries: ['PT5S', 'PT30S', 'PT5M', 'PT30M', 'PT2H'],
  callback_timeout: 'PT10S',
  token_format: usualTokenFormat,
  distribution: 'first_accept',
  callback_signature: 'none',
}

/** The settings of the specification's formal schema. */
export const formalProfile: Settings = {
  ...proseProfile,
  profile: 'formal',
  ...formalInterpretation,
  status_methods: ['POST'],
  callback_event_names: 'enum',
  absent_fields: 'null',
}

/** A tenant's switches: its profile, and above it what it sets by itself. */
export function resolveSettings(overrides: SettingsOverrides): Settings {
  const set = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined))
  return { ...(overrides.profile === 'formal' ? formalProfile : proseProfile), ...set }
}
