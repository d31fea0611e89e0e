import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './sources.ts'

const script = join(root, '.ci/workspace.mjs')
const run = (args: string[], cwd = root) => spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })

it("runs a command on the workspace's own Node, in the root folder, from any folder", () => {
  const print = 'console.log(process.version.split(".")[0], process.cwd() === process.argv[1])'
  const { stdout, status } = run(['node', '-e', print, root.replace(/[/\\]$/, '')], join(root, 'docs'))
  expect([stdout.trim(), status]).toEqual(['v24 true', 0])
})

it("ends with the command's exit code", () => {
  expect(run(['node', '-e', 'process.exit(3)']).status).toBe(3)
})

it('reports by its exit code that a signal ended the command', () => {
  expect(run(['node', '-e', 'process.kill(process.pid, "SIGKILL")']).status).toBe(137)
})
