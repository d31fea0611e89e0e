import { statements } from '@lead-distribution/conformance'
import { markdownTable } from '../output.ts'

/** A test: its file relative to the root, its title after those of its suites, joined by ` > `, and its result. */
export interface ReportedTest {
  readonly file: string
  readonly name: string
  readonly passed: boolean
}

const id = String.raw`(?:\d+(?:\.\d+)*|open)\/[\w.-]+`
const tag = new RegExp(String.raw`\s*\[(${id}(?:, ${id})*)\]`, 'g')

/** Returns the statements that a test covers, from tags in its title or a suite's: `[2.8/loan_amount, 7/400]`. */
export function statementsOf(name: string): string[] {
  return [...name.matchAll(tag)].flatMap(([, ids = '']) => ids.split(', '))
}

/** Returns the test's or suite's title that has the tags, without the tags. */
export function readableTitle(name: string): string {
  const titled = name.split(' > ').findLast(part => statementsOf(part).length > 0) ?? name
  return titled.replace(tag, '').trim()
}

/** The tests of each statement, and the unknown tags. */
export interface Coverage {
  readonly testsOf: ReadonlyMap<string, readonly ReportedTest[]>
  /** Tags that match no statement, with their test files. */
  readonly unknown: readonly string[]
}

/** Groups the tests by the statements in their titles. */
export function coverageOf(tests: readonly ReportedTest[]): Coverage {
  const testsOf = new Map(Object.keys(statements).map(id => [id, [] as ReportedTest[]]))
  const unknown = new Set<string>()
  for (const test of tests.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)))
    for (const id of new Set(statementsOf(test.name))) {
      const shown = testsOf.get(id)
      if (shown) shown.push(test)
      else unknown.add(`${id} in ${test.file}`)
    }
  return { testsOf, unknown: [...unknown] }
}

/** Returns the statements without a test, each with its text. */
export function unshown({ testsOf }: Coverage): [id: string, text: string][] {
  return Object.entries(statements).filter(([id]) => testsOf.get(id)?.length === 0)
}

/** The path of the full conformance table: a build artifact, ignored by git. */
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

Every statement of the specification has a test. This writes \`${tablePath}\`, with the tests of each statement, and fails if a
statement has none that passed:

\`\`\`sh
npm run test:all -- --reporter=json --outputFile.json=coverage/tests.json
npm run check:conformance -- coverage/tests.json
\`\`\`

A test names its statements in its title, such as \`takes an amount at both bounds [2.8/loan_amount]\`: a section, and a name within
it.
`

export function conformanceSummary(): string {
  const rows = sections().map(([section, ids]) => [section, topicOf(section), `${ids.length}`])
  return `${summaryHead}\n${markdownTable(['section', 'topic', 'statements'], rows)}\n`
}

/** Returns the full table as Markdown: every statement with every test that covers it. */
export function conformanceTable(tests: readonly ReportedTest[]): string {
  const { testsOf } = coverageOf(tests)
  const parts = sections().map(([section, ids]) => {
    const rows = ids.map(id => [`\`${id}\``, statements[id], titlesOf(testsOf.get(id) ?? [])])
    return `## ${section} ${topicOf(section)}\n\n${markdownTable(['id', 'statement', 'shown by'], rows)}\n`
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

function titlesOf(tests: readonly ReportedTest[]): string {
  const titles = new Set(tests.map(({ file, name }) => `${file}: ${escaped(readableTitle(name))}`))
  return titles.size === 0 ? '**none**' : [...titles].join('<br>')
}

const escaped = (title: string) =>
  title.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ')
