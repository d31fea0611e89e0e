// Packs every public package as it would be published and looks at what users would get: each tarball by itself, then
// all of them installed by npm into separate projects (`.ci/consumer`). Exits 1 where one check finds a problem.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { consumerChecks } from './consumer/consumer-checks.mjs'
import { runChecks } from './run-checks.mjs'
import { checkTarball, pack } from './tarball-check.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = await mkdtemp(join(tmpdir(), 'packed-'))

try {
  const packages = await publicPackages()
  if (packages.length === 0) throw new Error('There is no public package to pack.')
  const tarballs = {}
  const attw = join(root, 'node_modules', '.bin', 'attw')
  const tarballChecks = packages.map(({ folder, name }) => ({
    name,
    async run() {
      tarballs[name] = await pack({ folder, name, out })
      return checkTarball({ tarball: tarballs[name], folder, attw })
    },
  }))
  let bad = await runChecks(tarballChecks)
  if (Object.keys(tarballs).length === packages.length) {
    const consumer = await consumerChecks({ root, out, tarballs })
    bad += await runChecks(consumer.checks).finally(consumer.stop)
  } else console.log('problem installed: not every package could be packed, so none was installed.')
  console.log(bad === 0 ? `${packages.length} packages are fit to publish.` : `${bad} checks found problems.`)
  process.exitCode = bad === 0 ? 0 : 1
} finally {
  await rm(out, { recursive: true, force: true })
}

async function publicPackages() {
  const folders = []
  for (const parent of ['packages', 'apps'])
    for (const name of await readdir(join(root, parent))) folders.push(join(root, parent, name))
  const manifests = await Promise.all(
    folders.map(async folder => {
      const manifest = await readFile(join(folder, 'package.json'), 'utf8').then(JSON.parse, () => undefined)
      return manifest && !manifest.private ? { folder, name: manifest.name } : undefined
    }),
  )
  return manifests.filter(Boolean).sort((a, b) => a.name.localeCompare(b.name))
}
