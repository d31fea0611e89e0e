import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('leaves a process its exit code: a run with a failed test has failed', () => {
  const fixture = new URL('server.fixture.ts', import.meta.url).href
  const script = `await import('${fixture}'); process.exitCode = 3`
  expect(spawnSync(process.execPath, ['--input-type=module', '--eval', script]).status).toBe(3)
})
