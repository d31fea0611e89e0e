import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/root.ts'

const olderNode = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.9.0'}})`

it.each([
  ['lead-sandbox', 'apps/sandbox/src/main.ts', '22.16'],
  ['lead-conformance', 'packages/conformance/src/cli/main.ts', '22.13'],
])('%s names the Node that it needs where this one is too old', { timeout: 30_000 }, (name, file, needed) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', olderNode, join(root, file), '--help'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `${name} needs Node ${needed} or newer (this is 20.9.0): https://nodejs.org.\n`,
  })
})
