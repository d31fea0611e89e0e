import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './sources.ts'

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

/** Which package may import which: the rules of the architecture, written down a second time. */
const allowed: Record<string, readonly string[]> = {
  'packages/contract': [],
  'packages/engine': ['contract'],
  'packages/http': ['contract'],
  'packages/simulator': ['contract', 'engine', 'http'],
  'packages/sdk-core': ['contract'],
  'packages/publisher-sdk': ['contract', 'sdk-core'],
  'packages/advertiser-sdk': ['contract', 'sdk-core'],
  'packages/control-client': ['contract', 'simulator'],
  'packages/msw': ['contract', 'control-client', 'simulator'],
  'packages/conformance': ['contract', 'publisher-sdk', 'advertiser-sdk'],
  'apps/sandbox': [
    ...['contract', 'engine', 'http', 'simulator', 'sdk-core', 'publisher-sdk', 'advertiser-sdk'],
    ...['control-client', 'msw'],
  ],
  'apps/console': ['contract', 'control-client'],
  'apps/example-publisher': ['contract', 'publisher-sdk', 'advertiser-sdk', 'control-client', 'msw', 'sandbox'],
}
const folders = Object.keys(allowed)
const nameOf = (folder: string) => folder.replace(/^[^/]+\//, '')
const portable = folders.filter(folder => folder.startsWith('packages/') && folder !== 'packages/conformance')

const ruleAgainst = (folder: string) => {
  if (folder.startsWith('packages/')) return `only-its-own:${nameOf(folder)}`
  if (folder === 'apps/console') return 'console-by-the-control-client'
  return folder === 'apps/sandbox' ? 'apps-import-downward' : 'examples-use-the-sdks'
}

const edges: SampleFile[] = folders.flatMap(from =>
  folders
    .filter(to => to !== from && !(from.startsWith('apps/') && ['apps/example-publisher', 'apps/console'].includes(to)))
    .map(to => ({
      file: `${from}/src/imports-${nameOf(to)}.ts`,
      text: `import { x } from '@lead-distribution/${nameOf(to)}'\nexport const y = x\n`,
      breaks: allowed[from]?.includes(nameOf(to)) ? atRunTime(from, to) : [ruleAgainst(from)],
    })),
)

/** An import that is allowed only for types. */
function atRunTime(from: string, to: string): string[] {
  return from === 'packages/control-client' && to === 'packages/simulator'
    ? ['control-client-without-the-simulator']
    : []
}

const typesAlone: SampleFile = {
  file: 'packages/control-client/src/imports-a-type.ts',
  text: "import type { X } from '@lead-distribution/simulator'\nexport type Y = X\n",
  breaks: [],
}

const typesToo: SampleFile = {
  file: 'packages/http/src/imports-a-type.ts',
  text: "import type { X } from '@lead-distribution/engine'\nexport type Y = X\n",
  breaks: ['only-its-own:http'],
}

/** A test of the handlers calls them as their users do. */
const testsToo: SampleFile[] = [
  { file: 'packages/msw/src/sdk.test.ts', text: "import '@lead-distribution/publisher-sdk'\n", breaks: [] },
  {
    file: 'packages/msw/src/http.test.ts',
    text: "import '@lead-distribution/http'\n",
    breaks: ['only-its-own:msw'],
  },
]

const nodeImports: SampleFile[] = [
  ...portable.map(folder => ({
    file: `${folder}/src/imports-node.ts`,
    text: "import { readFileSync } from 'node:fs'\nexport const y = readFileSync\n",
    breaks: ['no-node-imports'],
  })),
  ...['packages/publisher-sdk/src/node.ts', 'packages/engine/src/a.test.ts', 'packages/conformance/src/main.ts'].map(
    file => ({ file, text: "import 'node:fs'\n", breaks: [] }),
  ),
]

const libraryImports: SampleFile[] = [
  { file: 'packages/engine/src/zod-mini.ts', text: "import 'zod/mini'\n", breaks: [] },
  { file: 'packages/engine/src/zod-whole.ts', text: "import 'zod'\n", breaks: ['zod-mini-only'] },
  { file: 'packages/engine/src/zod-four.ts', text: "import 'zod/v4'\n", breaks: ['zod-mini-only'] },
  {
    file: 'packages/contract/src/zod-types.ts',
    text: "import type { x } from 'zod/v4/core'\nexport type Y = typeof x\n",
    breaks: [],
  },
  {
    file: 'packages/contract/src/zod-core.ts',
    text: "import { x } from 'zod/v4/core'\nexport const y = x\n",
    breaks: ['zod-core-types-only'],
  },
  {
    file: 'packages/engine/src/zod-types.ts',
    text: "import type { x } from 'zod/v4/core'\nexport type Y = typeof x\n",
    breaks: ['zod-core-in-contract-only'],
  },
  { file: 'packages/http/src/zod-mini.ts', text: "import 'zod/mini'\n", breaks: ['only-its-libraries:http'] },
  { file: 'packages/sdk-core/src/ky.ts', text: "import 'ky'\n", breaks: [] },
  { file: 'packages/engine/src/ky.ts', text: "import 'ky'\n", breaks: ['only-its-libraries:engine'] },
  { file: 'packages/publisher-sdk/src/express.ts', text: "import 'express'\n", breaks: [] },
  {
    file: 'packages/publisher-sdk/src/index-too.ts',
    text: "import 'express'\n",
    breaks: ['only-its-libraries:publisher-sdk'],
  },
  { file: 'packages/msw/src/msw.ts', text: "import 'msw'\n", breaks: [] },
  { file: 'apps/sandbox/src/helmet.ts', text: "import 'helmet'\n", breaks: [] },
  { file: 'apps/console/src/zod-mini.ts', text: "import 'zod/mini'\n", breaks: ['console-without-zod'] },
  { file: 'apps/sandbox/src/missing.ts', text: "import 'no-such-library'\n", breaks: ['resolvable'] },
]

/** The folders of the simulator from the top down, written down a second time. */
const simulatorFolders = [
  ...['pages', 'control', 'service-http', 'doctor', 'tenants', 'advertisers', 'callbacks', 'faults', 'journal'],
  ...['never-distribute', 'storage', 'time', 'random'],
]

const inSimulator = (folder: string, name: string) => `packages/simulator/src/${folder}/${name}.ts`

const simulatorImports: SampleFile[] = [
  ...simulatorFolders.map(folder => ({ file: inSimulator(folder, 'x'), text: 'export const x = 1\n', breaks: [] })),
  ...simulatorFolders.slice(1).flatMap((below, place) => {
    const above = simulatorFolders[place] ?? ''
    const breaks = [`simulator-downward:${below}`]
    return [
      { file: inSimulator(above, 'down'), text: `import '../${below}/x.ts'\n`, breaks: [] },
      { file: inSimulator(below, 'up'), text: `import '../${above}/x.ts'\n`, breaks },
      { file: inSimulator(below, 'up.test'), text: `import '../${above}/x.ts'\n`, breaks: [] },
    ]
  }),
  { file: inSimulator('time', 'root'), text: "import '../index.ts'\n", breaks: ['simulator-downward:time'] },
  { file: inSimulator('new', 'first'), text: "import '../time/x.ts'\n", breaks: ['simulator-known-folders'] },
]

const waysAround: SampleFile[] = [
  {
    file: 'packages/simulator/src/deep.ts',
    text: "import '@lead-distribution/engine/src/index.ts'\n",
    breaks: ['no-deep-imports', 'resolvable'],
  },
  {
    file: 'packages/simulator/src/relative.ts',
    text: "import '../../engine/src/index.ts'\n",
    breaks: ['no-way-around-exports'],
  },
  // A circle is reported once, at its first file.
  { file: 'packages/engine/src/circle-a.ts', text: "import './circle-b.ts'\n", breaks: ['no-circles'] },
  { file: 'packages/engine/src/circle-b.ts', text: "import './circle-a.ts'\n", breaks: [] },
]

let tree: SampleTree
let broken: Map<string, string[]>

beforeAll(async () => {
  tree = await createSampleTree(folders, [
    ...edges,
    typesAlone,
    typesToo,
    ...testsToo,
    ...nodeImports,
    ...libraryImports,
    ...simulatorImports,
    ...waysAround,
  ])
  broken = await tree.brokenRules()
})
afterAll(() => tree?.remove())

const brokenBy = ({ file }: SampleFile) => [...(broken.get(file) ?? [])].sort()

/** Each of the files breaks its rules, and no other. */
function expectBroken(files: readonly SampleFile[]): void {
  const found = files.map(sample => ({ file: sample.file, breaks: brokenBy(sample) }))
  expect(found).toEqual(files.map(({ file, breaks }) => ({ file, breaks })))
}

describe('which package may import which', () => {
  it('is what the rules allow, and nothing else', () => expectBroken([...edges, typesAlone, ...testsToo]))

  it('counts the import of a type as an import', () => {
    expect(brokenBy(typesToo)).toEqual(typesToo.breaks)
  })
})

describe('what a package may import besides', () => {
  it('is what the rules allow, and nothing else', () =>
    expectBroken([...nodeImports, ...libraryImports, ...simulatorImports, ...waysAround]))
})
