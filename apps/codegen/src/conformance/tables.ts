import { statements } from '@lead-distribution/conformance'
import type { CollectedTest } from './collect-tests.ts'
import { coverageOf, readableTitle } from './coverage.ts'

/** The summary of conformance: committed, and a page of the documentation. */
export const summaryPath = 'docs/conformance.md'

/** The full table of conformance: a build artifact, which git ignores. */
export const tablePath = 'coverage/conformance.md'

const topics: Readonly<Record<string, string>> = {
  '2.1': 'Lead submission',
  '2.2': 'Customer',
  '2.3': 'Personal data',
  '2.4': 'Contact',
  '2.5': 'Address',
  '2.6': 'Profile',
  '2.7': 'Financial instrument',
  '2.8': 'Loan',
  '2.9': 'Consents',
  '2.10': 'Tracking',
  '2.11': 'Enumerations',
  '2.12': 'Lead response and rejection reasons',
  '2.13': 'Error response',
  '3': 'States',
  '4': 'Every endpoint',
  '4.1': 'Submit a lead',
  '4.2': 'Update a status by body',
  '4.3': 'Update a status by pixel',
  '5': 'Authentication',
  '6.1': 'Events to the service',
  '6.2': 'Callbacks to the publisher',
  '7': 'Errors',
  '8': 'Limits',
  '9': 'Versions and the sandbox',
  open: 'Open points',
}

const summaryHead = `# Conformance

Every statement of the specification is shown by a test that passes. Run the tests and see which test shows which
statement:

\`\`\`sh
npm run test:all -- --reporter=json --outputFile.json=coverage/tests.json
npm run check:conformance -- coverage/tests.json
\`\`\`

The check fails where a statement has no test that passed, where a title names an unknown statement, and where this page
is stale (\`npm run generate\` writes it). It writes the full table, a row for each statement with its tests, to
\`${tablePath}\`.

The title of a test, or of a suite around it, names the statements that it shows: \`takes an amount at both bounds
[2.8/loan_amount]\`. An id is a section and a name within it; ids of \`open\` are about what the specification leaves open.
The statements, one sentence each, are in \`packages/conformance/src/statements\`.
Another test checks that no field, enumeration, reason, event, error or numbered rule of the contract lacks a statement.
`

/** The summary as Markdown: a row for each section. */
export function conformanceSummary(tests: readonly CollectedTest[]): string {
  const { testsOf } = coverageOf(tests)
  const rows = sections().map(([section, ids]) => {
    const shown = [...new Set(ids.flatMap(id => testsOf.get(id) ?? []))]
    return [section, topicOf(section), `${ids.length}`, workspacesOf(shown)]
  })
  return `${summaryHead}\n${table(['section', 'topic', 'statements', 'shown in'], rows)}\n`
}

/** The full table as Markdown: every statement with every test that shows it. */
export function conformanceTable(tests: readonly CollectedTest[]): string {
  const { testsOf } = coverageOf(tests)
  const parts = sections().map(([section, ids]) => {
    const rows = ids.map(id => [`\`${id}\``, statements[id], titlesOf(testsOf.get(id) ?? [])])
    return `## ${section} ${topicOf(section)}\n\n${table(['id', 'statement', 'shown by'], rows)}\n`
  })
  return `# Conformance, statement by statement\n\n${parts.join('\n')}`
}

type Id = keyof typeof statements

function sections(): [section: string, ids: Id[]][] {
  const bySection = Map.groupBy(Object.keys(statements) as Id[], id => id.split('/')[0] ?? '')
  return [...bySection].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}

function topicOf(section: string): string {
  const topic = topics[section]
  if (topic === undefined) throw new Error(`Section ${section} has no topic: add one to the topics of the summary.`)
  return topic
}

/** The packages and apps that have the tests. No count: the page changes only where a section gets tests elsewhere. */
function workspacesOf(tests: readonly CollectedTest[]): string {
  const workspaces = new Set(tests.map(({ file }) => file.split('/').slice(0, 2).join('/')))
  return [...workspaces]
    .sort()
    .map(name => `\`${name}\``)
    .join(', ')
}

function titlesOf(tests: readonly CollectedTest[]): string {
  const titles = new Set(tests.map(({ file, name }) => `${file}: ${escaped(readableTitle(name))}`))
  return titles.size === 0 ? '**none**' : [...titles].join('<br>')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const escaped = (title: string) =>
  title.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ')
