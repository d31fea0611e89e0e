import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestLeadEntry, testLeadCatalogue } from '@lead-distribution/contract/testing'
import { root } from '../architecture/root.ts'

/** The guide whose table is made from the catalogue. */
export const testLeadGuidePath = 'docs/guides/test-leads.md'

const [begin, end] = ['<!-- made by `npm run generate` -->', '<!-- end of what is made -->']

/** The guide with a fresh table; what stands around it is written by hand. */
export function testLeadGuide(): string {
  const text = readFileSync(join(root, testLeadGuidePath), 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`Put the table of ${testLeadGuidePath} between ${begin} and ${end}.`)
  return `${text.slice(0, from)}${begin}\n\n${table()}\n\n${text.slice(to)}`
}

function table(): string {
  const rows = testLeadCatalogue.map(entry => [
    `\`${entry.name}()\``,
    reached(entry),
    entry.because,
    entry.criteria === undefined ? '' : `\`${entry.criteria}\``,
  ])
  return [['test lead', 'reaches', 'because', 'published in'], ['---', '---', '---', '---'], ...rows]
    .map(cells => `| ${cells.join(' | ')} |`.replace('|  |', '| |'))
    .join('\n')
}

function reached({ reaches, settings = {} }: TestLeadEntry): string {
  const { http, ...words } = reaches
  const needed = Object.entries(settings).map(([name, value]) => `, under \`${name}=${value}\``)
  return [http, ...Object.values(words).map(word => `\`${word}\``)].join(' ') + needed.join('')
}
