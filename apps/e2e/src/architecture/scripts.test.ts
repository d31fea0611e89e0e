import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from './sources.ts'

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

const script = join(root, '.ci/workspace.mjs')
const run = (args: string[], cwd = root) => spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })

it("runs a command on the workspace's own Node, in the root folder, from any folder", () => {
  const print = 'console.log(process.version.split(".")[0], process.cwd() === process.argv[1])'
  const { stdout, status } = run(['node', '-e', print, root.replace(/[/\\]$/, '')], join(root, 'docs'))
  expect([stdout.trim(), status]).toEqual(['v24 true', 0])
})

it('passes arguments on unchanged', () => {
  const args = ['a b', '"c"', '$HOME', '--flag=x']
  expect(JSON.parse(run(['node', '-p', 'JSON.stringify(process.argv.slice(1))', '--', ...args]).stdout)).toEqual(args)
})

it("ends with the command's exit code", () => {
  expect(run(['node', '-e', 'process.exit(3)']).status).toBe(3)
})

it('reports a missing command, and one that does not exist', () => {
  expect(run([])).toMatchObject({ status: 2, stderr: expect.stringContaining('The command is missing') })
  expect(run(['no-such-command'])).toMatchObject({ status: 127, stderr: expect.stringContaining('no-such-command') })
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on, and waits for a clean end', async signal => {
  const code = `process.on('${signal}', () => setTimeout(() => { console.log('stopped'); process.exit(0) }, 50)); console.log('up'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, [script, 'node', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (text.includes('up')) child.kill(signal)
  })
  const [exitCode] = await once(child, 'close')
  expect([output, exitCode]).toEqual(['up\nstopped\n', 0])
})

it('reports by its exit code that a signal ended the command', () => {
  expect(run(['node', '-e', 'process.kill(process.pid, "SIGKILL")']).status).toBe(137)
})
