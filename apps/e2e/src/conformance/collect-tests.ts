import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../architecture/root.ts'

/** A test that exists: its file from the root, and its title behind those of its suites, joined by ` > `. */
export interface CollectedTest {
  readonly file: string
  readonly name: string
}

/** Every test of the repository by its real title, which a table of cases may have made. None of them is run. */
export async function collectTests(): Promise<CollectedTest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tests-'))
  const list = join(folder, 'list.json')
  try {
    const args = ['list', '--no-static-parse', `--json=${list}`]
    await promisify(execFile)(join(root, 'node_modules/.bin/vitest'), args, { cwd: root, maxBuffer: 1e8 })
    const tests: CollectedTest[] = JSON.parse(await readFile(list, 'utf8'))
    return tests.map(({ file, name }) => ({ file: fromRoot(file), name }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A test of vitest's JSON report. */
export interface ReportedTest extends CollectedTest {
  readonly passed: boolean
}

/** The tests of vitest's JSON report, those that were skipped or failed among them. */
export async function reportedTests(reportPath: string): Promise<ReportedTest[]> {
  const { testResults }: Report = JSON.parse(await readFile(reportPath, 'utf8'))
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ status, ancestorTitles, title }) => ({
      file: fromRoot(file),
      name: [...ancestorTitles, title].join(' > '),
      passed: status === 'passed',
    })),
  )
}

interface Report {
  testResults: { name: string; assertionResults: { status: string; ancestorTitles: string[]; title: string }[] }[]
}

const fromRoot = (file: string) => relative(root, file).replaceAll('\\', '/')
