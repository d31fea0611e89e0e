import { statements } from '@lead-distribution/conformance'
import type { CollectedTest } from './collect-tests.ts'
import { coverageOf } from './coverage.ts'
import { readableTitle } from './tags.ts'

/** Where the table of conformance goes. */
export const conformancePath = 'docs/conformance.md'

const shownAtMost = 4

const head = `# Conformance

One row for each statement of the specification, in our words, with the tests that show it. The id is the section, a
slash, and a name within the section; rows of \`open\` are about what the specification leaves open.

Made by \`npm run generate\` from the titles of the tests: a title names the statements that it shows, as in
\`takes an amount at both bounds [2.8/loan_amount]\`. A test checks that no field, word or reason of the contract is
without a statement; \`.ci/run\` checks that the table is fresh, and that every statement is shown by a test that was run
and passed.
`

/** The table of conformance as Markdown. */
export function conformanceTable(tests: readonly CollectedTest[]): string {
  const { testsOf } = coverageOf(tests)
  const sections = Map.groupBy(Object.entries(statements), ([id]) => id.split('/')[0] ?? '')
  const ordered = [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  const parts = ordered.map(([section, rows]) => {
    const lines = rows.map(([id, text]) => `| \`${id}\` | ${text} | ${testCell(testsOf.get(id) ?? [])} |`)
    const title = section === 'open' ? 'What is left open' : `Section ${section}`
    return `\n## ${title}\n\n| id | statement | shown by |\n| --- | --- | --- |\n${lines.join('\n')}\n`
  })
  return head + parts.join('')
}

function testCell(tests: readonly CollectedTest[]): string {
  const titles = [...new Set(tests.map(({ file, name }) => `${file} › ${escaped(readableTitle(name))}`))]
  if (titles.length === 0) return '**none yet**'
  return [...titles.slice(0, shownAtMost), ...(titles.length > shownAtMost ? ['and more'] : [])].join('<br>')
}

const escaped = (title: string) =>
  title.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ')
