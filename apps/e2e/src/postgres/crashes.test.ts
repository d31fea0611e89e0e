import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

it('loses and doubles nothing while processes are killed and the database restarts', { timeout: 900_000 }, async () => {
  const child = spawn(process.execPath, ['apps/bench/src/main.ts', 'crashes'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGINT'))
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect([code, printed]).toEqual([0, expect.stringContaining('violations 0')])
})
