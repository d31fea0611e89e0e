import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../house/root.ts'

const folder = join(root, 'docs/guides')

/** Pages to look things up in, not to follow: what they show is tested where it is made. */
const references = ['openapi.md', 'test-leads.md']

/** The names of all pages of the folder, references included. */
export const pageNames = readdirSync(folder)

/** Every guide: its file's name and its Markdown. */
export const allGuides = pageNames
  .filter(name => !references.includes(name))
  .map(name => ({ name, markdown: readFileSync(join(folder, name), 'utf8') }))
