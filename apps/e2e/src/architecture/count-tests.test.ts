import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from './root.ts'

const folder = mkdtempSync(join(tmpdir(), 'count-tests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What `.ci/run` prints last for a report, and whether it then passes. */
function countOf(report?: unknown): { line: string; code: number | null } {
  const path = join(folder, 'report.json')
  rmSync(path, { force: true })
  if (report !== undefined) writeFileSync(path, JSON.stringify(report))
  const { stdout, status } = spawnSync(process.execPath, [join(root, '.ci/count-tests.mjs'), path], {
    encoding: 'utf8',
  })
  return { line: stdout, code: status }
}

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map(each => ({ status: each })),
})

it('counts what passed', () => {
  const testResults = [file('passed', 'passed', 'passed'), file('passed', 'passed')]
  expect(countOf({ success: true, testResults })).toEqual({ line: '3 passed, 0 failed\n', code: 0 })
})

it('names skipped tests, and tests that are yet to be written, as skipped', () => {
  const testResults = [file('passed', 'passed', 'pending', 'skipped', 'todo')]
  expect(countOf({ success: true, testResults })).toEqual({ line: '1 passed, 0 failed, 3 skipped\n', code: 0 })
})

it('fails where a test fails', () => {
  const testResults = [file('failed', 'passed', 'failed')]
  expect(countOf({ success: false, testResults })).toEqual({ line: '1 passed, 1 failed\n', code: 1 })
})

it('counts a file that cannot be loaded as a failure', () => {
  const testResults = [file('passed', 'passed'), file('failed')]
  expect(countOf({ success: false, testResults })).toEqual({ line: '1 passed, 1 failed\n', code: 1 })
})

it('counts an error outside of any test as a failure', () => {
  expect(countOf({ success: false, testResults: [file('passed', 'passed')] })).toEqual({
    line: '1 passed, 1 failed\n',
    code: 1,
  })
})

it('fails without a test, and without a report', () => {
  expect(countOf({ success: true, testResults: [] })).toEqual({ line: '0 passed, 1 failed\n', code: 1 })
  expect(countOf()).toEqual({ line: '0 passed, 1 failed\n', code: 1 })
})
