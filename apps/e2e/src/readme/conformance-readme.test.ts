import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { freePort } from '../adapters/sockets.ts'
import { createTenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'
import { installPackages } from '../guides/reader.fixture.ts'
import { typeFaults } from '../guides/type-faults.ts'
import { codeBlocks } from './code-block.ts'

const blocks = codeBlocks(readFileSync(join(root, 'packages/conformance/README.md'), 'utf8'))
const codeOf = (name: string) => blocks.find(block => block.name === name)?.code ?? ''

/** Replaces npx: the commands of the workspace by their sources. */
const npx = `#!/bin/sh
name=$1
shift
case $name in
  lead-sandbox) main=apps/sandbox/src/main.ts ;;
  lead-conformance) main=packages/conformance/src/cli/main.ts ;;
esac
exec "${process.execPath}" "${root}/$main" "$@"
`

describe('packages/conformance/README.md', () => {
  let adapter: Adapter
  let folder = ''
  let env: Record<string, string | undefined> = {}
  beforeAll(async () => {
    adapter = await openExpressAdapter()
    folder = mkdtempSync(join(tmpdir(), 'readme-'))
    await installPackages(folder)
    writeFileSync(join(folder, 'npx'), npx)
    chmodSync(join(folder, 'npx'), 0o755)
    const port = await freePort()
    const tenant = await createTenant(adapter, {
      callback_url: `http://127.0.0.1:${port}/callbacks?source=conformance`,
    })
    const { base_url, publisher } = tenant.account
    env = {
      PATH: `${folder}:${process.env.PATH}`,
      LEAD_SANDBOX_URL: adapter.url,
      LEAD_SANDBOX_TENANT: tenant.account.tenant,
      LEAD_PUBLISHER_API_KEY: publisher.api_key,
      PUBLISHER_ID: publisher.publisher_id,
      PRODUCT_ID: tenant.product().product_id,
      BASE_URL: base_url,
      PORT: String(port),
    }
    writeFileSync(join(folder, 'account.json'), JSON.stringify(tenant.account))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await adapter.close()
  })
  const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: folder, env })

  it('has no block without a test', () => {
    const names = blocks.map(({ name, line }) => name ?? `line ${line}`)
    expect(names).toEqual(['install', 'account', 'any', 'callbacks', 'changes', 'library'])
  })

  it.each(['account', 'any', 'callbacks', 'changes'])('has the commands of %s, which end well', async name => {
    const { stdout } = await run('sh', '-e', '-c', codeOf(name))
    expect(stdout).toContain('The service conforms.')
  })

  it('has TypeScript that compiles in a strict project, and finds no difference', async () => {
    const file = join(folder, 'library.ts')
    writeFileSync(file, codeOf('library'))
    expect(typeFaults([file])).toEqual([])
    expect((await run(process.execPath, file)).stdout).toBe('')
  })
})
