import type { Settings } from './settings.ts'

/** That another reading of the specification would have answered otherwise: what works here may not work there. */
export interface PortabilityWarning {
  /** The switch. */
  switch: keyof Settings
  /** The reading that answered. */
  reading: string
  /** The reading that would have answered otherwise. */
  other_reading: string
  /** What that one would have answered. */
  would: string
}
