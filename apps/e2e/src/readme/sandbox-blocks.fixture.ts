import { expect } from 'vitest'
import { type Printed, Reader } from '../guides/reader.ts'
import { installCommands } from '../guides/reader-folder.fixture.ts'
import type { BlockAtHand } from './follow-readme.fixture.ts'

type Block = Pick<BlockAtHand<object>, 'code' | 'folder' | 'tenant' | 'run'>

/** How the sandbox is come by, in the README of either SDK. */
export const sandboxBlocks = {
  'install-sandbox': async ({ code }: Block) =>
    expect(code).toBe('npm install --save-dev @lead-distribution/sandbox\n'),

  'start-sandbox': async ({ code, folder }: Block) => {
    await using reader = new Reader(folder, await installCommands(folder, '0'))
    const terminal = await reader.open(code)
    expect(terminal.printed()).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
  },
}

/** Types a block of commands into a shell, with the sandbox of the test at the documented port. */
export async function typeCommands({ code, folder, tenant }: Block): Promise<Printed> {
  await using reader = new Reader(folder, await installCommands(folder, new URL(tenant.adapter.url).port))
  return await reader.type(code)
}

/** Runs a block that asserts by itself what comes of it, in so many lines. */
export async function runAsserting({ code, run }: Block, count: number): Promise<void> {
  expect(code.match(/\bassert\.\w+\(/g)).toHaveLength(count)
  await run()
}
