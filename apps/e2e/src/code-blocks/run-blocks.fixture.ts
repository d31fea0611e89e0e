import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { parsePage, readPage } from './parse-page.ts'
import { installPackages, saveFile } from './reader.fixture.ts'
import { typeFaults } from './type-faults.ts'

/** A block to test, with its own account. */
export interface BlockAtHand<Names> {
  readonly code: string
  readonly tenant: Tenant
  /** The names that the block assumes. */
  readonly names: Names
  /** Runs the block as a module. Resolves to its exports. */
  // biome-ignore lint/suspicious/noExplicitAny: the compiler has checked the block; the test asserts its effect.
  run(): Promise<any>
}

/** Pages whose blocks are parts of an application. Each block is tested by itself. */
interface PagesOfBlocks<Names extends object> {
  readonly paths: readonly string[]
  /** The file, beside the test, whose `interface Names` declares the names that the blocks assume. */
  readonly namesFile: string
  readonly namesFor: (tenant: Tenant) => Names | Promise<Names>
  /** Runs each block by its name, and asserts its result. */
  readonly blocks: Readonly<Record<string, (block: BlockAtHand<Names>) => Promise<void>>>
}

/** Tests that every block of some pages compiles and works as described. */
export function testBlocks<Names extends object>(pages: PagesOfBlocks<Names>): void {
  const { paths, namesFile, namesFor, blocks } = pages
  const shown = paths
    .flatMap(path => parsePage(readPage(path)))
    .map(step => {
      if (step.kind !== 'file' && step.kind !== 'command') throw new Error(`Line ${step.line} has no test.`)
      return { ...step, block: step.name?.replace(/\.[jt]s$/, '') ?? `line ${step.line}` }
    })
  const modules = shown.filter(step => step.kind === 'file').filter(({ language }) => language === 'ts')

  describe(paths[0] ?? '', () => {
    let folder = ''
    let newTenant: () => Promise<Tenant>
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'blocks-'))
      await installPackages(folder)
      for (const module of modules) await saveFile(folder, module)
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

    it('has a test for each block, and a block for each test', () => {
      expect(shown.map(({ block }) => block)).toEqual(Object.keys(blocks))
    })

    it('has TypeScript that compiles in strict mode', async () => {
      const declared = Object.keys(await namesFor(await newTenant())).map(name => `  var ${name}: Names['${name}']\n`)
      const code = `import type { Names } from '${join(import.meta.dirname, namesFile)}'
declare global {\n${declared.join('')}}`
      const given = await saveFile(folder, { name: 'given.d.ts', code })
      expect(typeFaults([given, ...modules.map(({ name }) => join(folder, name))])).toEqual([])
    })

    it.each(shown)('has a block $block that works as described', async ({ block, code, kind, name = '' }) => {
      const tenant = await newTenant()
      const names = await namesFor(tenant)
      vi.stubGlobal('fetch', serviceOfPages(tenant))
      vi.stubEnv('LEAD_BASE_URL', `${productionUrl}/api/v1`)
      vi.stubEnv('PUBLISHER_ID', tenant.account.publisher.publisher_id)
      vi.stubEnv('LEAD_PUBLISHER_API_KEY', productionKeys.publisher)
      vi.stubEnv('LEAD_ADVERTISER_API_KEY', productionKeys.advertiser)
      let runs = 0
      const run = () => {
        for (const [given, value] of Object.entries(names)) vi.stubGlobal(given, value)
        return import(`${pathToFileURL(join(folder, name)).href}?run=${++runs}`)
      }
      await blocks[block]?.({ code, tenant, names, run })
      if (kind === 'file' && name.endsWith('.ts')) expect(runs, "The block's test does not run it.").toBeGreaterThan(0)
    })
  })
}

/** Runs a block that asserts its own result, in the given number of lines. */
export async function runAsserting(block: Pick<BlockAtHand<object>, 'code' | 'run'>, count: number): Promise<void> {
  expect(block.code.match(/\bassert\.\w+\(/g)).toHaveLength(count)
  await block.run()
}

/** The service that pages name, and its keys, which pages read from the environment. */
export const productionUrl = 'https://acme.leads.example'
const productionKeys = { publisher: 'publisher-key-of-production', advertiser: 'advertiser-key-of-production' }

/**
 * A `fetch` that sends requests for the service that pages name, and for the documented sandbox port, to a sandbox's
 * tenant.
 */
function serviceOfPages(tenant: Tenant): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const { fetch } = globalThis
  const keys = new Map([
    [productionKeys.publisher, tenant.publisherKey],
    [productionKeys.advertiser, tenant.advertiserKey()],
  ])
  return (input, init) => {
    const named = input instanceof Request ? input.url : String(input)
    const { origin } = new URL(named)
    const isService = origin === productionUrl || origin === 'http://127.0.0.1:4010'
    const url = isService ? named.replace(origin, tenant.adapter.url) : named
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))
    // A kept-alive connection may have ended while the compiler blocked this process.
    headers.set('connection', 'close')
    const key = headers.get('apikey')
    // A sandbox key is not a production key.
    if (origin === productionUrl && key !== null) headers.set('apikey', keys.get(key) ?? 'unknown')
    return fetch(input instanceof Request ? new Request(url, input) : url, { ...init, headers })
  }
}
