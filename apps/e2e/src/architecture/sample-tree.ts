import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './root.ts'

/** A file, and the rules that it must break: none where it is allowed. */
export interface SampleFile {
  readonly file: string
  readonly text: string
  readonly breaks: readonly string[]
}

/** A small copy of the workspace with sample files, which dependency-cruiser is run over. */
export interface SampleTree {
  /** The names of the broken rules, file by file. */
  brokenRules(): Promise<Map<string, string[]>>
  remove(): Promise<void>
}

const library = (name: string, exports: Record<string, string>) => [
  { file: `node_modules/${name}/package.json`, text: JSON.stringify({ name, type: 'module', exports }) },
  ...Object.values(exports).map(path => ({ file: `node_modules/${name}/${path}`, text: 'export const x = 1\n' })),
]

const libraries = [
  ...library('zod', {
    '.': './index.js',
    './mini': './mini/index.js',
    './v4': './v4/index.js',
    './v4/core': './v4/core/index.js',
  }),
  ...['ky', 'msw', 'commander', 'express', 'helmet'].flatMap(name => library(name, { '.': './index.js' })),
]

/** Writes the folders (`packages/contract`, `apps/sandbox`…), the libraries and the sample files into a temporary folder. */
export async function createSampleTree(folders: readonly string[], files: readonly SampleFile[]): Promise<SampleTree> {
  const home = await mkdtemp(join(tmpdir(), 'sample-tree-'))
  const write = async ({ file, text }: { file: string; text: string }) => {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), text)
  }
  const nameOf = (folder: string) => `@lead-distribution/${folder.split('/')[1]}`
  await mkdir(join(home, 'node_modules/@lead-distribution'), { recursive: true })
  for (const folder of folders) {
    const manifest = { name: nameOf(folder), type: 'module', exports: { '.': './src/index.ts' } }
    await write({ file: `${folder}/package.json`, text: JSON.stringify(manifest) })
    await write({ file: `${folder}/src/index.ts`, text: 'export const x = 1\n' })
    await symlink(join(home, folder), join(home, 'node_modules', nameOf(folder)))
  }
  for (const file of [...libraries, ...files]) await write(file)
  return {
    brokenRules: () => brokenRulesIn(home),
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

interface CruiseResult {
  summary: { violations: { from: string; rule: { name: string } }[] }
}

async function brokenRulesIn(home: string): Promise<Map<string, string[]>> {
  const broken = new Map<string, string[]>()
  const { summary }: CruiseResult = JSON.parse(await cruise(home))
  for (const { from, rule } of summary.violations) broken.set(from, [...(broken.get(from) ?? []), rule.name])
  return broken
}

/** Runs the command that `npm run check:dependencies` runs. It ends with the number of errors as its exit code. */
function cruise(home: string): Promise<string> {
  const config = join(root, '.ci/dependency-rules.mjs')
  const args = ['--config', config, '--output-type', 'json', 'packages', 'apps']
  return new Promise((resolve, reject) => {
    const options = { cwd: home, maxBuffer: 64 * 1024 * 1024 }
    execFile(join(root, 'node_modules/.bin/depcruise'), args, options, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(stdout)
      else reject(error ?? new Error(stderr))
    })
  })
}
