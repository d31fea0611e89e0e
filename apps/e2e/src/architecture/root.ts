import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that the repository stands in. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..')
