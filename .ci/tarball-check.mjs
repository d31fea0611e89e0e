// Looks into one tarball as it would be published: what it holds, publint for the manifest, are-the-types-wrong for
// the types.
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { readJson } from './consumer/project.mjs'
import { relativeLink } from './packages.mjs'
import { execute, reject } from './run-checks.mjs'

/** Rejects with the problems of a tarball; otherwise resolves to its size. */
export async function checkTarball({ tarball, folder, attw }) {
  await execute('tar', ['-xzf', tarball, '-C', dirname(tarball)])
  const unpacked = join(dirname(tarball), 'package')
  const checks = [contents(tarball, folder), sourceMaps(unpacked), links(unpacked)]
  const problems = await Promise.all([...checks, publintOf(tarball), wrongTypesOf(tarball, attw)])
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
  const texts = ['README.md', 'LICENSE', ...(version === '0.0.0' ? [] : ['CHANGELOG.md'])]
  const missing = texts.map(file => `package/${file}`).filter(file => !files.includes(file))
  return [
    ...stray.map(file => `holds ${file}, which users do not need`),
    ...missing.map(file => `lacks ${file.replace('package/', '')}`),
    ...(files.some(file => file.startsWith('package/dist/') && file.endsWith('.js')) ? [] : ['holds no built file']),
  ]
}

/** A README is shown on its own page of npm. */
async function links(unpacked) {
  const found = (await readFile(join(unpacked, 'README.md'), 'utf8')).match(relativeLink) ?? []
  return found.map(link => `links to ${link} in its README, which leads nowhere on npm`)
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

async function wrongTypesOf(tarball, attw) {
  // The packages are ESM only: what a CommonJS `require` of old would see is no concern of theirs.
  const args = [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color', '--format', 'ascii']
  return execute(attw, args).then(
    () => [],
    error => [`are the types wrong: ${error.stdout || error.stderr || error.message}`],
  )
}
