import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('preserves the exit code of a process, so that a failed run stays failed', () => {
  const fixture = new URL('server.fixture.ts', import.meta.url).href
  const script = `await import('${fixture}'); process.exitCode = 3`
  expect(spawnSync(process.execPath, ['--input-type=module', '--eval', script]).status).toBe(3)
})
