// `npm run pack`: tarballs to try the packages before they are published, and the line that installs them elsewhere.
// `npm run pack -- publisher-sdk` packs one of them with what it needs. In each, the places of the packages that it needs
// stand where their versions do, so that any package manager finds them.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pack, publicPackages, root, withNeeds } from './packages.mjs'
import { execute } from './run-checks.mjs'

const folders = process.argv.slice(2)
const out = join(root, 'packed')
const temporary = await mkdtemp(join(tmpdir(), 'pack-'))

try {
  const all = await publicPackages()
  const packages = withNeeds(all, folders)
  const packed = await pack(packages, temporary)
  const tarballs = {}
  await mkdir(out, { recursive: true })
  for (const each of packages) tarballs[each.name] = await installable(each, packed[each.name], tarballs)
  const wanted = all.filter(({ folder }) => folders.length === 0 || folders.includes(basename(folder)))
  const line = wanted.map(({ name }) => `"${tarballs[name]}"`).join(' ')
  console.log(`Packed into ${out}. In another project, run:\n\n  npm install ${line}\n`)
} catch (error) {
  console.error(error.stderr || error.message)
  process.exitCode = 1
} finally {
  await rm(temporary, { recursive: true, force: true })
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
  const tarball = join(out, `${basename(each.folder)}-${each.version}-${hash.digest('hex').slice(0, 8)}.tgz`)
  if (!existsSync(tarball)) await execute('tar', ['-czf', tarball, '-C', folder, 'package'])
  return tarball
}
