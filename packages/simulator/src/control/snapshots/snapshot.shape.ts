import { dateTime } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'

const name = z.string().check(
  // A path of dots alone never arrives: clients resolve it.
  z.regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or a digit',
  ),
)

/** The body that saves a snapshot. */
export const snapshotOrder = z.strictObject({ name })

/** A snapshot: its name, and the real time of saving. */
export const snapshotView = z.strictObject({ name, saved_at: dateTime })
