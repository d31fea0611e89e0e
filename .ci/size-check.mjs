// The weight of the SDKs and the sandbox of msw in a customer's page or function: the packages, laid out as they would
// be installed, bundled and minified by esbuild, then gzipped. Prints a line a bundle; exits 1 where one is over its
// budget or holds what it must not. Run `npm run bundle` first.
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publicPackages, root } from './packages.mjs'

const publisher = '@lead-distribution/publisher-sdk'
const advertiser = '@lead-distribution/advertiser-sdk'
const sandbox = '@lead-distribution/msw'
const control = '@lead-distribution/control-client'

const [zod, ky] = ['node_modules/zod/', 'node_modules/ky/']
const forServers = ['classic/', 'locales/', 'core/compile', 'core/doc', 'core/to-json-schema']

/**
 * What is bundled, how many KiB it may weigh, and what must not be in it, by a part of the path. `whole` is the bundle
 * with all that it loads on demand: the SDKs load ky at the first call.
 */
const budgets = [
  { name: 'publisher SDK', code: `export * from '${publisher}'`, kib: 14.4, whole: 23.5, without: [zod, ky] },
  {
    name: 'createPublisher',
    code: `export { createPublisher } from '${publisher}'`,
    kib: 13.3,
    whole: 22.4,
    without: [zod, ky],
  },
  { name: 'callback receiver', code: `export * from '${publisher}/callbacks'`, kib: 7.3, without: [zod, ky] },
  { name: 'advertiser SDK', code: `export * from '${advertiser}'`, kib: 12.9, whole: 22, without: [zod, ky] },
  {
    name: 'createLeadSandbox',
    code: `export { createLeadSandbox } from '${sandbox}'`,
    // The whole sandbox but its OpenAPI documents: snapshots, diagnosis and pages too.
    kib: 120,
    // What makes code from text is for servers.
    without: [ky, ...forServers.map(part => `${zod}v4/${part}`)],
  },
  {
    name: 'connectSandbox',
    code: `export * from '${control}'`,
    kib: 11,
    whole: 20,
    // The sandbox's shapes are types here.
    without: [zod, ky],
  },
  { name: 'PostbackUrl', code: `export { PostbackUrl } from '${advertiser}'`, kib: 3.5, without: [zod, ky] },
]

const user = await mkdtemp(join(tmpdir(), 'bundled-'))

try {
  await install()
  const overweight = []
  for (const budget of budgets) if (!(await keeps(budget))) overweight.push(budget.name)
  if (overweight.length > 0) console.log(`\nOver budget: ${overweight.join(', ')}.`)
  process.exitCode = overweight.length === 0 ? 0 : 1
} finally {
  await rm(user, { recursive: true, force: true })
}

/** The packages, and their libraries except msw, which the user installs. */
async function install() {
  for (const { name, folder } of await publicPackages()) {
    const { publishConfig, ...manifest } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const target = join(user, 'node_modules', name)
    await mkdir(target, { recursive: true })
    await cp(join(folder, 'dist'), join(target, 'dist'), { recursive: true })
    await writeFile(join(target, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }))
  }
  for (const library of ['ky', 'zod']) {
    const installed = await realpath(join(root, 'packages/control-client/node_modules', library))
    await cp(installed, join(user, 'node_modules', library), { recursive: true })
  }
}

async function keeps({ name, code, kib, whole = Number.POSITIVE_INFINITY, without }) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: user },
    bundle: true,
    minify: true,
    format: 'esm',
    // What is loaded on demand is a file of its own, as with every bundler of pages.
    splitting: true,
    outdir: join(user, 'bundle'),
    external: ['msw'],
    metafile: true,
    write: false,
  })
  const files = loadedAtOnce(metafile.outputs)
  const modules = files.flatMap(file => Object.keys(metafile.outputs[file].inputs))
  const strays = without.filter(part => modules.some(path => path.includes(part)))
  const weigh = texts => texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1024
  const weight = weigh(files.map(file => outputFiles.find(({ path }) => path === resolve(file)).contents))
  const all = weigh(outputFiles.map(({ contents }) => contents))
  const fine = weight <= kib && all <= whole && strays.length === 0
  const later = all > weight ? `, ${all.toFixed(2)}${whole < 100 ? ` of ${whole}` : ''} with what it loads later` : ''
  const holds = strays.length > 0 ? `   holds ${strays.join(' and ')}` : ''
  console.log(
    `${fine ? 'ok     ' : 'problem'} ${name.padEnd(18)} ${weight.toFixed(2).padStart(5)} of ${kib} KiB${later}${holds}`,
  )
  return fine
}

/** The files of a bundle that its entry needs from the start: not those of a dynamic import. */
function loadedAtOnce(outputs) {
  const files = new Set([Object.keys(outputs).find(file => outputs[file].entryPoint === '<stdin>')])
  for (const file of files) {
    for (const { path, kind } of outputs[file].imports)
      if (kind === 'import-statement' && outputs[path]) files.add(path)
  }
  return [...files]
}
