// Packs every public package as it would be published and looks at what users would get: each tarball by itself, then
// all of them installed by npm into separate projects (`.ci/consumer`). Exits 1 where one check finds a problem.
// With `--keep FOLDER` the tarballs stay there when every check passed: what is published is what was checked.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { consumerChecks } from './consumer/consumer-checks.mjs'
import { pack, publicPackages, root } from './packages.mjs'
import { runChecks } from './run-checks.mjs'
import { checkTarball } from './tarball-check.mjs'

const { keep } = parseArgs({ options: { keep: { type: 'string' }, write: { type: 'boolean' } } }).values
const out = await mkdtemp(join(tmpdir(), 'packed-'))

try {
  const packages = await publicPackages()
  if (packages.length === 0) throw new Error('There is no public package to pack.')
  const tarballs = await pack(packages, out)
  const attw = join(root, 'node_modules', '.bin', 'attw')
  const tarballChecks = packages.map(({ folder, name }) => ({
    name,
    run: () => checkTarball({ tarball: tarballs[name], folder, attw }),
  }))
  const consumer = await consumerChecks({ root, out, tarballs })
  const bad = await runChecks([...consumer.checks, ...tarballChecks]).finally(consumer.stop)
  if (bad === 0 && keep) {
    await mkdir(keep, { recursive: true })
    for (const tarball of Object.values(tarballs)) await copyFile(tarball, join(keep, basename(tarball)))
  }
  console.log(bad === 0 ? `${packages.length} packages are fit to publish.` : `${bad} checks found problems.`)
  process.exitCode = bad === 0 ? 0 : 1
} finally {
  await rm(out, { recursive: true, force: true })
}
