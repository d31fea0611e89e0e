import { type TestLeadEntry, testLeadCatalogue } from '@lead-distribution/test-leads'
import { markdownTable, withGenerated } from './output.ts'

/** The guide whose table is generated from the catalogue. */
export const testLeadGuidePath = 'docs/guides/test-leads.md'

/** The guide with a fresh table. */
export function testLeadGuide(): string {
  const rows = testLeadCatalogue.map(entry => [
    `\`${entry.name}()\``,
    reached(entry),
    entry.because,
    entry.criteria === undefined ? '' : `\`${entry.criteria}\``,
  ])
  return withGenerated(testLeadGuidePath, markdownTable(['test lead', 'reaches', 'because', 'published in'], rows))
}

function reached({ reaches, settings = {} }: TestLeadEntry): string {
  const { http, ...names } = reaches
  const needed = Object.entries(settings).map(([name, value]) => `, under \`${name}=${value}\``)
  return [http, ...Object.values(names).map(name => `\`${name}\``)].join(' ') + needed.join('')
}
