// Bundles the packages that users install into their `dist`: JavaScript and declarations, with the private packages
// inside. What is left to install stands in the `dependencies` of each. `npm run bundle -- msw` bundles that one alone.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { publicPackages, root, withNeeds } from './packages.mjs'

/** The module of sdk-core that differs between Node and the rest. The `imports` of an SDK choose it at run time. */
const network = '@lead-distribution/sdk-core/network'
const networkByCondition = {
  name: 'network-by-condition',
  resolveId: { order: 'pre', handler: id => (id === network ? { id: '#network', external: true } : undefined) },
}

const networkEntries = {
  network: '../sdk-core/src/call/network.ts',
  'node-network': '../sdk-core/src/call/node-network.ts',
}

const onWindows = process.platform === 'win32'

/** Entries that no export names. */
const moreEntries = {
  'publisher-sdk': networkEntries,
  'advertiser-sdk': networkEntries,
  sandbox: { 'checkpoint-thread': 'src/storage/sqlite/checkpoint-thread.ts' },
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await bundle(withNeeds(await publicPackages(), process.argv.slice(2)))

/** Bundles packages, each unless nothing has changed since. The sandbox's pages are built beside its bundle. */
export async function bundle(packages) {
  const published = (await publicPackages()).map(({ name }) => name)
  const changed = await lastChange()
  const stale = []
  for (const { folder } of packages) {
    const stamp = join(folder, 'node_modules/.bundled')
    if (!existsSync(stamp) || (await stat(stamp)).mtimeMs <= changed) stale.push({ folder, stamp })
  }
  // The declarations of a package refer to those that `tsc -b` writes for the packages that it needs.
  const folders = stale.map(({ folder }) => folder)
  if (stale.length > 0) execFileSync('tsc', ['-b', ...folders], { cwd: root, stdio: 'inherit', shell: onWindows })
  for (const { folder, stamp } of stale) {
    await rm(join(folder, 'dist'), { recursive: true, force: true })
    await bundleOne(folder, published)
    await writeFile(stamp, '')
  }
  if (packages.some(({ folder }) => basename(folder) === 'sandbox'))
    execFileSync(process.execPath, [join(root, '.ci/build-console.mjs')], { stdio: 'inherit' })
}

async function bundleOne(folder, published) {
  const { exports, bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const commands = Object.values(bin ?? {}).map(path => path.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
  const sources = [...Object.values(exports), ...commands]
  const isPublished = id => published.some(name => id === name || id.startsWith(`${name}/`))
  await build({
    config: false,
    cwd: folder,
    entry: {
      ...Object.fromEntries(sources.map(path => [path.replace('./src/', '').replace(/\.ts$/, ''), path])),
      ...moreEntries[basename(folder)],
    },
    platform: bin ? 'node' : 'neutral',
    target: 'es2023',
    dts: { sourcemap: false },
    sourcemap: true,
    clean: false,
    logLevel: 'warn',
    checks: { pluginTimings: false },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
    deps: {
      alwaysBundle: id => id.startsWith('@lead-distribution/') && !isPublished(id),
      neverBundle: id => id === '#network' || isPublished(id),
    },
    plugins: [networkByCondition],
  })
}

/** Returns when a source, a manifest or the lockfile last changed, milliseconds; where git can't say, never is soon enough. */
async function lastChange() {
  if (!existsSync(join(root, '.git'))) return Number.POSITIVE_INFINITY
  const patterns = ['packages/*/src/*', 'packages/*/package.json', 'apps/sandbox/src/*', 'apps/sandbox/package.json']
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns, 'pnpm-lock.yaml', '.ci']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  const times = await Promise.all(
    files.map(file =>
      stat(join(root, file)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return Math.max(...times)
}
