import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
