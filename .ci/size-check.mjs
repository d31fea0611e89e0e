// The size of the SDKs and msw's sandbox in a user's page or function: the bundled packages, minified by esbuild,
// then gzipped. Prints a line per bundle. Exits with 1 if one exceeds its budget or contains something forbidden.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './build-if-changed.mjs'

const [zod, ky] = ['node_modules/zod/', 'node_modules/ky/']
// Code that generates code from text is for servers.
const forServers = ['classic/', 'locales/', 'core/compile', 'core/doc', 'core/to-json-schema'].map(
  part => `${zod}v4/${part}`,
)

/**
 * Imported names from a package's entry, their maximum size in KiB, and forbidden parts of module paths. `whole`
 * is the maximum with everything loaded on demand: the SDKs load ky on the first call.
 */
const budgets = [
  { entry: 'publisher-sdk/dist/index.js', kib: 14.4, whole: 23.5 },
  { entry: 'publisher-sdk/dist/index.js', names: '{ createPublisher }', kib: 13.3, whole: 22.4 },
  { entry: 'publisher-sdk/dist/callbacks.js', kib: 7.3 },
  { entry: 'advertiser-sdk/dist/index.js', kib: 12.9, whole: 22 },
  { entry: 'advertiser-sdk/dist/index.js', names: '{ PostbackUrl }', kib: 3.5 },
  // The sandbox's shapes are only types here.
  { entry: 'control-client/dist/index.js', kib: 11, whole: 20 },
  // The whole sandbox except its OpenAPI documents, including snapshots, diagnosis and pages.
  { entry: 'msw/dist/index.js', names: '{ createLeadSandbox }', kib: 120, without: [ky, ...forServers] },
]

const gzipped = files => files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0) / 1024

for (const { entry, names = '*', kib, whole = Number.POSITIVE_INFINITY, without = [zod, ky] } of budgets) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from './packages/${entry}'`, resolveDir: root },
    absWorkingDir: root,
    // In this workspace, its name resolves to the sources.
    alias: { '@lead-distribution/control-client': join(root, 'packages/control-client/dist/index.js') },
    external: ['msw'],
    bundle: true,
    minify: true,
    format: 'esm',
    // Code loaded on demand is a separate file, as with every web bundler.
    splitting: true,
    outdir: 'size',
    metafile: true,
    write: false,
  })
  // The entry's static imports, without dynamic ones.
  const atOnce = new Set(Object.keys(metafile.outputs).filter(file => metafile.outputs[file].entryPoint === '<stdin>'))
  for (const file of atOnce)
    for (const { path, kind } of metafile.outputs[file].imports)
      if (kind === 'import-statement' && metafile.outputs[path]) atOnce.add(path)
  const modules = [...atOnce].flatMap(file => Object.keys(metafile.outputs[file].inputs))
  const strays = without.filter(part => modules.some(path => path.includes(part)))
  const weight = gzipped(outputFiles.filter(({ path }) => atOnce.has(path.slice(root.length + 1))))
  const all = gzipped(outputFiles)
  const isFine = weight <= kib && all <= whole && strays.length === 0
  if (!isFine) process.exitCode = 1
  const holds = strays.length > 0 ? `, holds ${strays.join(' and ')}` : ''
  const later = Number.isFinite(whole) ? `, ${all.toFixed(2)} of ${whole} with what it loads later` : ''
  console.log(
    `${isFine ? 'ok     ' : 'problem'} ${names} of ${entry}: ${weight.toFixed(2)} of ${kib} KiB${later}${holds}`,
  )
}
