import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'
import { installPackages } from '../guides/reader.fixture.ts'
import { typeFaults } from '../guides/type-faults.ts'
import { type CodeBlock, codeBlocks } from './code-block.ts'
import { productionKeys, productionUrl, serviceOfReadmes } from './production.ts'

/** A block at hand, with its own account. */
export interface BlockAtHand<Names> {
  readonly code: string
  readonly tenant: Tenant
  /** The names that the block takes for granted. */
  readonly names: Names
  /** The folder of a project that has installed the packages. */
  readonly folder: string
  /** Runs the block as the module that it is; answers what it exports. */
  // biome-ignore lint/suspicious/noExplicitAny: the compiler has seen the block; the test asserts what it does.
  run(): Promise<any>
}

/** How a README is followed, with the pages that continue it. */
export interface ReadmeToFollow<Names extends object> {
  /** Their paths in the repository. */
  readonly files: readonly string[]
  /** The file, beside the test, that says as `interface Names` what its blocks take for granted. */
  readonly namesFile: string
  /** Makes those names for a block. */
  readonly namesFor: (tenant: Tenant) => Names | Promise<Names>
  /** Runs each block by its name, and asserts its result. */
  readonly blocks: Readonly<Record<string, (block: BlockAtHand<Names>) => Promise<void>>>
}

/** Tests that every code block of a README and of the pages that continue it compiles, and does what it says. */
export function followReadme<Names extends object>({
  files,
  namesFile,
  namesFor,
  blocks,
}: ReadmeToFollow<Names>): void {
  const shown = files.flatMap(file => codeBlocks(readFileSync(join(root, file), 'utf8')))
  const modules = shown.filter(({ language }) => language === 'ts')
  const fileOf = (folder: string, { name, line }: CodeBlock) => join(folder, `${name ?? line}.ts`)

  describe(files[0] ?? '', () => {
    let folder = ''
    let newTenant: () => Promise<Tenant>
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'readme-'))
      await installPackages(folder)
      for (const block of modules) writeFileSync(fileOf(folder, block), block.code)
      const adapter = await openExpressAdapter()
      newTenant = () => createTenant(adapter)
      return async () => {
        await adapter.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })
    afterEach(() => {
      vi.unstubAllGlobals()
      vi.unstubAllEnvs()
    })

    it('has no block without a test, and no test without a block', () => {
      expect(shown.map(({ name, line }) => name ?? `line ${line}`)).toEqual(Object.keys(blocks))
    })

    it('has TypeScript that compiles in a strict project', async () => {
      const names = Object.keys(await namesFor(await newTenant()))
      const besides = writeNames({ folder, namesFile, names })
      expect(typeFaults([besides, ...modules.map(block => fileOf(folder, block))])).toEqual([])
    })

    it.each(shown.flatMap(block => (block.name === undefined ? [] : [{ ...block, name: block.name }])))(
      'has a block $name that does what it says',
      async block => {
        const tenant = await newTenant()
        const names = await namesFor(tenant)
        vi.stubGlobal('fetch', serviceOfReadmes(tenant))
        vi.stubEnv('LEAD_BASE_URL', `${productionUrl}/api/v1`)
        vi.stubEnv('PUBLISHER_ID', tenant.account.publisher.publisher_id)
        vi.stubEnv('LEAD_PUBLISHER_API_KEY', productionKeys.publisher)
        vi.stubEnv('LEAD_ADVERTISER_API_KEY', productionKeys.advertiser)
        let runs = 0
        const run = () => {
          for (const [name, value] of Object.entries(names)) vi.stubGlobal(name, value)
          return import(`${pathToFileURL(fileOf(folder, block)).href}?run=${++runs}`)
        }
        const follow = blocks[block.name]
        expect(follow, 'There is no test of this block.').toBeDefined()
        await follow?.({ code: block.code, tenant, names, folder, run })
        if (block.language === 'ts') expect(runs, 'Its test does not run it.').toBeGreaterThan(0)
      },
    )
  })
}

/** Writes the declarations that the blocks are compiled with. Returns its path. */
function writeNames(written: { folder: string; namesFile: string; names: string[] }): string {
  const { folder, namesFile, names } = written
  const imported = `import type { Names } from '${join(import.meta.dirname, namesFile)}'\n`
  const declared = names.map(name => `  var ${name}: Names['${name}']\n`).join('')
  const path = join(folder, 'given.d.ts')
  writeFileSync(path, `${imported}declare global {\n${declared}}\n`)
  return path
}

/** Runs a block that asserts its own result, in so many lines. */
export async function runAsserting(
  { code, run }: Pick<BlockAtHand<object>, 'code' | 'run'>,
  count: number,
): Promise<void> {
  expect(code.match(/\bassert\.\w+\(/g)).toHaveLength(count)
  await run()
}
