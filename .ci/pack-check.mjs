// Packs every public package as it would be published and looks at what users would get: each tarball by itself, then
// all of them installed by npm into separate projects (`.ci/consumer`). Exits 1 where one check finds a problem.
// With `--keep FOLDER` the tarballs stay there when every check passed: what is published is what was checked.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { consumerChecks } from './consumer/consumer-checks.mjs'
import { readJson } from './consumer/project.mjs'
import { linkedPages, pack, publicPackages, relativeLink, root } from './packages.mjs'
import { execute, reject, runChecks } from './run-checks.mjs'

const { keep } = parseArgs({ options: { keep: { type: 'string' }, write: { type: 'boolean' } } }).values
const out = await mkdtemp(join(tmpdir(), 'packed-'))

try {
  const packages = await publicPackages()
  if (packages.length === 0) throw new Error('There is no public package to pack.')
  const tarballs = await pack(packages, out)
  const tarballChecks = packages.map(({ folder, name }) => ({
    name,
    run: () => checkTarball(tarballs[name], folder),
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

/** Rejects with the problems of a tarball; otherwise resolves to its size. */
async function checkTarball(tarball, folder) {
  await execute('tar', ['-xzf', tarball, '-C', dirname(tarball)])
  const unpacked = join(dirname(tarball), 'package')
  const checks = [contents(tarball, folder), sourceMaps(unpacked), links(unpacked)]
  const problems = await Promise.all([...checks, publintOf(tarball), wrongTypesOf(tarball)])
  reject(problems.flat())
  return `${Math.ceil((await stat(tarball)).size / 1024)} KiB`
}

/** Sources that point nowhere and tests are no part of what users get. */
async function contents(tarball, folder) {
  const { stdout } = await execute('tar', ['-tzf', tarball])
  const files = stdout.split('\n').filter(Boolean)
  const stray = files.filter(file =>
    /\.(test|fixture)\.|\.tsbuildinfo$|^package\/(src\/.*\.(test|fixture)|node_modules)/.test(file),
  )
  const { version } = await readJson(join(folder, 'package.json'))
  // Changesets writes the change log of a release; before the first one there is none.
  const texts = [...linkedPages, 'LICENSE', ...(version === '0.0.0' ? [] : ['CHANGELOG.md'])]
  const missing = texts.map(file => `package/${file}`).filter(file => !files.includes(file))
  return [
    ...stray.map(file => `holds ${file}, which users do not need`),
    ...missing.map(file => `lacks ${file.replace('package/', '')}`),
    ...(files.some(file => file.startsWith('package/dist/') && file.endsWith('.js')) ? [] : ['holds no built file']),
  ]
}

/** A README is shown on its own page of npm. */
async function links(unpacked) {
  const found = await Promise.all(
    linkedPages.map(async page =>
      ((await readFile(join(unpacked, page), 'utf8').catch(() => '')).match(relativeLink) ?? []).map(
        link => `links to ${link} in its ${page}, which does not work on npm`,
      ),
    ),
  )
  return found.flat()
}

/** A map that names a source without its text sends bundlers and debuggers to a file that users do not have. */
async function sourceMaps(unpacked) {
  const files = (await readdir(unpacked, { recursive: true })).filter(file => file.endsWith('.map'))
  const lack = await Promise.all(
    files.map(async file => {
      const { sources, sourcesContent = [] } = await readJson(join(unpacked, file))
      return sources.some((_source, index) => !sourcesContent[index])
    }),
  )
  return files.filter((_file, index) => lack[index]).map(file => `holds ${file}, which lacks the text of its sources`)
}

async function publintOf(tarball) {
  const data = await readFile(tarball)
  const tarballData = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: tarballData }, strict: true })
  return messages.map(message => `publint: ${formatMessage(message, pkg)}`)
}

async function wrongTypesOf(tarball) {
  // The packages are ESM only: what a CommonJS `require` of old would see is no concern of theirs.
  const args = [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color', '--format', 'ascii']
  return execute(join(root, 'node_modules', '.bin', 'attw'), args).then(
    () => [],
    error => [`are the types wrong: ${error.stdout || error.stderr || error.message}`],
  )
}
