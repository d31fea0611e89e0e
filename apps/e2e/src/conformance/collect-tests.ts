import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../house/root.ts'

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

/** The tests of vitest's JSON report that passed. */
export async function passedTests(reportPath: string): Promise<CollectedTest[]> {
  const { testResults }: Report = JSON.parse(await readFile(reportPath, 'utf8'))
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed')
      .map(({ ancestorTitles, title }) => ({ file: fromRoot(file), name: [...ancestorTitles, title].join(' > ') })),
  )
}

interface Report {
  testResults: { name: string; assertionResults: { status: string; ancestorTitles: string[]; title: string }[] }[]
}

const fromRoot = (file: string) => relative(root, file).replaceAll('\\', '/')
