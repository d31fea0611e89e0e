import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'

/** Runs a child process until it has printed this many lines, kills it after a delay, and returns all its output. */
export async function acknowledgedBeforeKill(
  way: 'commit' | 'checkpoint' | 'restore' | 'delete',
  data: string,
  lines: number,
  ms = 0,
): Promise<string[]> {
  const child = fileURLToPath(new URL('killed-child.fixture.ts', import.meta.url))
  const running = spawn(process.execPath, [child, data, way], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void running.kill('SIGKILL'))
  let printed = ''
  let noise = ''
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.split('\n').length > lines) setTimeout(() => running.kill('SIGKILL'), ms)
  })
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    noise += text
  })
  const [, signal] = await once(running, 'close')
  expect({ signal, noise }).toEqual({ signal: 'SIGKILL', noise: '' })
  return printed.split('\n').slice(0, -1)
}
