import { readFileSync, rmSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { typefaceLicense } from '@lead-distribution/console/typeface-license'
import { build, type Plugin } from 'vite'
import { pageId, root } from './addresses.ts'

/** The remark in front of a TypeScript block that gets a button to run it in the page. */
export const runRemark = '<!-- run -->'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The output folder of the playground, and its address below the base of the site. */
export const playgroundPath = 'playground/app'

/**
 * Builds what runs in the reader's browser: the page of the playground, and the examples of the guides with their worker.
 * Neither is loaded before the reader opens the playground or presses Run, and addresses in them are relative.
 */
export async function buildPlayground(): Promise<void> {
  const outDir = `${here}public/${playgroundPath}`
  rmSync(outDir, { recursive: true, force: true })
  const sources = `${here}src/playground`
  // One file: once it is loaded, each view opens without a connection.
  await buildPart({ outDir, input: `${sources}/index.html`, codeSplitting: false, plugins: [typefaceLicense] })
  const examples = await readExamples()
  const runnable = [...examples].filter(([, { runs }]) => runs).map(([name]) => name)
  const inputs = runnable.map(name => [`examples/${name}`, `${prefix}${name}`] as const)
  const input = Object.fromEntries([['run-example', `${sources}/run-example.ts`], ...inputs])
  await buildPart({ outDir, input, codeSplitting: true, plugins: [resolveExamples(examples)] })
}

interface Part {
  readonly outDir: string
  readonly input: string | Record<string, string>
  readonly codeSplitting: boolean
  readonly plugins?: Plugin[]
}

async function buildPart({ outDir, input, codeSplitting, plugins = [] }: Part): Promise<void> {
  await build({
    configFile: false,
    root: `${here}src/playground`,
    base: './',
    mode: 'production',
    logLevel: 'warn',
    plugins,
    build: {
      outDir,
      emptyOutDir: false,
      target: 'baseline-widely-available',
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      license: { fileName: codeSplitting ? 'examples/licenses.md' : 'licenses.md' },
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        input,
        // Its handlers are not used.
        external: ['msw'],
        output: { entryFileNames: '[name].js', codeSplitting },
        // `use client` means nothing here.
        onwarn: (warning, report) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || report(warning),
      },
    },
  })
}

/** A TypeScript block of a page that has a file name. */
interface Example {
  readonly code: string
  readonly runs: boolean
}

/** Returns the name of an example: the page, and the file that the block's first comment names. */
export function exampleName(file: string, code: string): string | undefined {
  const name = /^\/\/ ([\w.-]+)\.ts\n/.exec(code)?.[1]
  return name && `${pageId(file)}/${name}`
}

/** Reads the TypeScript blocks of the documentation. */
async function readExamples(): Promise<ReadonlyMap<string, Example>> {
  const examples = new Map<string, Example>()
  for await (const file of glob('docs/**/*.md', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, remark, code = ''] of text.matchAll(/(<!-- run -->\n)?```ts\n([\s\S]*?)\n```/g)) {
      const name = exampleName(file, code)
      if (!name && remark) throw new Error(`An example of ${file} runs, so its first line must name its file.`)
      if (name) examples.set(name, { code, runs: remark !== undefined })
    }
  }
  return examples
}

const prefix = 'example:'

/** Makes modules of the examples. One that imports a file gets the block of that name on the same page. */
function resolveExamples(examples: ReadonlyMap<string, Example>): Plugin {
  return {
    name: 'examples',
    enforce: 'pre',
    // Vite makes an empty object of it.
    config: () => ({ define: { 'process.env': 'globalThis.process.env' } }),
    resolveId(id, importer) {
      if (id.startsWith(prefix)) return `\0${id}`
      if (!importer?.startsWith(`\0${prefix}`)) return
      if (!id.startsWith('.')) return this.resolve(id, `${here}playground.ts`)
      return `\0${prefix}${join(importer.slice(prefix.length + 1), '..', id.replace(/\.ts$/, ''))}`
    },
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return
      const example = examples.get(id.slice(prefix.length + 1))
      if (!example) throw new Error(`No example is named ${id.slice(1)}.`)
      return { code: example.code, moduleType: 'ts' }
    },
  }
}
