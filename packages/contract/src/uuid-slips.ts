import { isUuid } from './formats.ts'

/** A way to miss a format: how it is known, and what to write instead, going on from the field's name. */
export interface FormatSlip {
  readonly isMade: (text: string) => boolean
  readonly instead: string
}

/** The slips that are made in writing a UUID, the surest first. */
export const uuidSlips: readonly FormatSlip[] = [
  { isMade: text => isUuid(text.trim()), instead: 'has spaces around it: take them away.' },
  {
    isMade: text => isUuid(text.replace(/^(urn:uuid:|\{)/i, '').replace(/\}$/, '')),
    instead: 'is the bare UUID: take away what stands around it.',
  },
  { isMade: text => /^[0-9a-f]{32}$/i.test(text), instead: 'is written with hyphens: 8, 4, 4, 4 and 12 digits.' },
]
