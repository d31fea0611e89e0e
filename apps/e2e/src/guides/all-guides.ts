import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/root.ts'

const folder = join(root, 'docs/guides')

/** Every guide: its file's name and its Markdown. */
export const allGuides = readdirSync(folder).map(name => ({ name, markdown: readFileSync(join(folder, name), 'utf8') }))
