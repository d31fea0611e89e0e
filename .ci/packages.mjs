// The packages that users install: which they are, what each needs of the others, their bundles and their tarballs.
// `npm run bundle -- msw` bundles one of them, `npm run pack -- msw` packs it with what it needs; without a name, all.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { execute } from './run-checks.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const packedFolder = join(root, 'packed')

/** Declarations name the types of zod that a user's own zod shares, also where the code of zod is in the bundle. */
const zodTypes = {
  name: 'zod-types',
  resolveId: {
    order: 'pre',
    // Without side effects: a package whose declarations use none of its types does not import it.
    handler: (id, importer) =>
      id === 'zod/mini' && importer?.endsWith('.d.ts') ? { id, external: true, moduleSideEffects: false } : undefined,
  },
}

const onWindows = process.platform === 'win32'

/** Entries that no export names. */
const moreEntries = {
  sandbox: { 'checkpoint-thread': 'src/storage/sqlite/checkpoint-thread.ts' },
}

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
    execFileSync(process.execPath, [join(root, '.ci/build-pages.mjs'), '--reference'], { stdio: 'inherit' })
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
      // A command starts sooner, and takes 6 MB less, without the messages of zod in sixty languages.
      alwaysBundle: id => (id.startsWith('@lead-distribution/') && !isPublished(id)) || (bin && id === 'zod/mini'),
      neverBundle: isPublished,
    },
    plugins: [zodTypes],
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

/** Every package that is published, each behind those that it needs. */
export async function publicPackages() {
  const folders = []
  for (const parent of ['packages', 'apps'])
    for (const name of await readdir(join(root, parent))) folders.push(join(root, parent, name))
  const manifests = await Promise.all(
    folders.map(folder => readFile(join(folder, 'package.json'), 'utf8').then(JSON.parse, () => undefined)),
  )
  const found = new Map()
  manifests.forEach((manifest, index) => {
    if (manifest && !manifest.private) found.set(manifest.name, { folder: folders[index], manifest })
  })
  const sorted = new Map()
  const add = name => {
    if (sorted.has(name) || !found.has(name)) return
    const { folder, manifest } = found.get(name)
    const needs = Object.keys(manifest.dependencies ?? {}).filter(each => found.has(each))
    needs.forEach(add)
    sorted.set(name, { name, folder, version: manifest.version, needs })
  }
  ;[...found.keys()].sort().forEach(add)
  return [...sorted.values()]
}

/** Those of some folders, such as `publisher-sdk`, and all that they need; every one without folders. */
export function withNeeds(packages, folders) {
  if (folders.length === 0) return packages
  const wanted = new Set(
    folders.map(folder => {
      const found = packages.find(each => basename(each.folder) === folder)
      const known = packages.map(each => basename(each.folder)).join(', ')
      if (!found) throw new Error(`There is no published package '${folder}'. Pass one of ${known}.`)
      return found.name
    }),
  )
  for (const name of wanted) for (const need of packages.find(each => each.name === name).needs) wanted.add(need)
  return packages.filter(({ name }) => wanted.has(name))
}

/**
 * Bundles packages and makes their tarballs, each in a folder of its own; gives their paths by name. pnpm packs: only it
 * puts `publishConfig` and the versions of `workspace:` and `catalog:` into the manifest. It starts once for all of them.
 */
export async function pack(packages, out) {
  await bundle(packages)
  const filters = packages.flatMap(({ name }) => ['--filter', name])
  await execute('npx', ['-y', 'pnpm@12', ...filters, 'pack', '--pack-destination', out], { cwd: root })
  const tarballs = {}
  for (const { name, folder, version } of packages) {
    const file = `${name.slice(1).replace('/', '-')}-${version}.tgz`
    tarballs[name] = join(await mkdtemp(join(out, `${basename(folder)}-`)), file)
    await rename(join(out, file), tarballs[name])
    await linkToRepository(tarballs[name])
  }
  return tarballs
}

/** npm shows a README by itself, and agents read what is installed: links to other files lead to the repository there. */
async function linkToRepository(tarball) {
  const folder = dirname(tarball)
  await execute('tar', ['-xzf', tarball, '-C', folder])
  const files = (await execute('tar', ['-tzf', tarball])).stdout.trim().split('\n')
  const manifest = join(folder, 'package/package.json')
  const { homepage } = JSON.parse(await readFile(manifest, 'utf8'))
  const base = homepage.replace('/tree/', '/blob/').replace(/#.*$/, '/')
  // The same files at the same time: what is packed twice has the same bytes.
  const { mtime } = await stat(manifest)
  for (const page of linkedPages.map(name => join(folder, 'package', name))) {
    const text = await readFile(page, 'utf8')
    await writeFile(
      page,
      text.replaceAll(relativeLink, link => new URL(link, base).href),
    )
    await utimes(page, mtime, mtime)
  }
  await execute('tar', ['-czf', tarball, '-C', folder, ...files])
}

/** The pages of a package that its users read. */
export const linkedPages = ['README.md', 'AGENTS.md']

/** The target of a Markdown link to a file beside the page. */
export const relativeLink = /(?<=\]\()(?![a-z]+:|#)[^)\s]+/g

/** Packs packages such that they find each other wherever they are installed: each names the places of those that it needs. */
async function packInstallable(folders) {
  const temporary = await mkdtemp(join(tmpdir(), 'pack-'))
  try {
    const all = await publicPackages()
    const packages = withNeeds(all, folders)
    const packed = await pack(packages, temporary)
    const tarballs = {}
    await mkdir(packedFolder, { recursive: true })
    for (const each of packages) tarballs[each.name] = await installable(each, packed[each.name], tarballs)
    const wanted = all.filter(({ folder }) => folders.length === 0 || folders.includes(basename(folder)))
    const line = wanted.map(({ name }) => `"${tarballs[name]}"`).join(' ')
    console.log(
      `Packed into ${packedFolder}. Leave the files there: each names the others by their paths. In another project, run this, or the same with pnpm add:\n\n  npm install ${line}\n`,
    )
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** The tarball of a package. Its name holds what is in it: package managers do not look into a file again that they know. */
async function installable(each, packed, tarballs) {
  const folder = dirname(packed)
  await execute('tar', ['-xzf', packed, '-C', folder])
  const path = join(folder, 'package', 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  for (const need of each.needs) manifest.dependencies[need] = `file:${tarballs[need]}`
  const text = JSON.stringify(manifest, null, 2)
  await writeFile(path, text)
  const hash = createHash('sha256')
    .update(await readFile(packed))
    .update(text)
  const tarball = join(packedFolder, `${basename(each.folder)}-${each.version}-${hash.digest('hex').slice(0, 8)}.tgz`)
  if (!existsSync(tarball)) await execute('tar', ['-czf', tarball, '-C', folder, 'package'])
  return tarball
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, ...folders] = process.argv.slice(2)
  try {
    if (command === 'bundle') await bundle(withNeeds(await publicPackages(), folders))
    else await packInstallable(folders)
  } catch (error) {
    console.error(error.stderr || error.message)
    process.exitCode = 1
  }
}
