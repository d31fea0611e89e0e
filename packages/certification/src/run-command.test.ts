import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'
import { runCommand } from './run-command.ts'

const run = (command: string, environment = {}, timeoutMs = 10_000) => runCommand({ command, environment, timeoutMs })

/** Returns true if a process is running and not a zombie. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

it("returns a command's output and exit code", async () => {
  expect(await run('echo "$LEAD_EMAIL"; exit 3', { LEAD_EMAIL: 'a+b@sandbox.test' })).toMatchObject({
    stdout: 'a+b@sandbox.test\n',
    exitCode: 3,
    timedOut: false,
  })
})

it('kills a command that takes too long, with its children', async () => {
  const { stdout, exitCode, timedOut } = await run('sleep 600 & echo $!; wait', {}, 300)
  expect([exitCode, timedOut]).toEqual([null, true])
  await vi.waitFor(() => expect(runs(Number(stdout))).toBe(false))
})

it("does not wait for a command's background processes, and kills them", async () => {
  const { stdout, exitCode } = await run('sleep 600 & echo $!')
  expect(exitCode).toBe(0)
  await vi.waitFor(() => expect(runs(Number(stdout))).toBe(false))
})

it('returns at most one mebibyte of output', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'command-'))
  const { stdout } = await run(`head -c 3000000 /dev/zero | tr '\\0' x | tee "${join(folder, 'all')}"`)
  expect([stdout.length, readFileSync(join(folder, 'all')).length]).toEqual([1_048_576, 3_000_000])
  rmSync(folder, { recursive: true })
})

it('reports a command that cannot be started', async () => {
  const tooLong = run(`true ${'x'.repeat(1_000_000)}`)
  await expect(tooLong).rejects.toThrow(/^The application's command could not be started: spawn E2BIG\. Check/)
})

it('reports a command that cannot be started for lack of file descriptors, and keeps running', async () => {
  const program = `
    const { openSync } = await import('node:fs')
    const { runCommand } = await import('./run-command.ts')
    for (let isFull = false; !isFull; )
      try {
        openSync('/dev/null')
      } catch {
        isFull = true
      }
    await runCommand({ command: 'true', environment: {}, timeoutMs: 10_000 }).catch(({ message }) => console.log(message))
    await new Promise(resolve => setTimeout(resolve, 10))
    console.log('goes on')`
  const limited = 'ulimit -n 256; exec "$0" --input-type=module --eval "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program], {
    cwd: import.meta.dirname,
    timeout: 100_000,
  })
  expect(stdout).toMatch(/could not be started: spawn .* EMFILE\. Check .*\ngoes on\n$/)
})
