// The packages that users install: which they are, what each needs of the others, and their tarballs.
import { mkdtemp, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'
import { execute } from './run-checks.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

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
      if (!found) throw new Error(`There is no published package '${folder}'. These are: ${known}.`)
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

/** npm shows a README by itself: its links to other files lead to the repository there. */
async function linkToRepository(tarball) {
  const folder = dirname(tarball)
  await execute('tar', ['-xzf', tarball, '-C', folder])
  const files = (await execute('tar', ['-tzf', tarball])).stdout.trim().split('\n')
  const [readme, manifest] = ['README.md', 'package.json'].map(name => join(folder, 'package', name))
  const { homepage } = JSON.parse(await readFile(manifest, 'utf8'))
  const base = homepage.replace('/tree/', '/blob/').replace(/#.*$/, '/')
  const text = await readFile(readme, 'utf8')
  await writeFile(
    readme,
    text.replaceAll(relativeLink, link => new URL(link, base).href),
  )
  // The same files at the same time: what is packed twice has the same bytes.
  const { mtime } = await stat(manifest)
  await utimes(readme, mtime, mtime)
  await execute('tar', ['-czf', tarball, '-C', folder, ...files])
}

/** The target of a Markdown link to a file beside the page. */
export const relativeLink = /(?<=\]\()(?![a-z]+:|#)[^)\s]+/g
