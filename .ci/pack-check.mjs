// Packs every public package as it would be published and looks at what users would get: publint for the manifest,
// are-the-types-wrong for the types. Prints a line a package; exits 1 where one has a problem.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { installedProblems } from './installed-check.mjs'

const exec = promisify(execFile)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const binaryOf = name => join(root, 'node_modules', '.bin', name)
const out = await mkdtemp(join(tmpdir(), 'packed-'))
const tarballs = {}

try {
  const packages = await publicPackages()
  if (packages.length === 0) throw new Error('There is no public package to pack.')
  const results = []
  for (const each of packages) results.push(await check(each))
  const installed = await checkInstalled(packages)
  for (const problem of installed) console.log(`problem as installed: ${problem.trim()}`)
  const bad = results.filter(problems => problems.length > 0).length + (installed.length > 0 ? 1 : 0)
  console.log(bad === 0 ? `${packages.length} packages are fit to publish.` : `${bad} packages have problems.`)
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

async function check({ folder, name }) {
  const problems = []
  let size = ''
  try {
    const tarball = await pack(folder, name)
    tarballs[name] = tarball
    size = `${Math.ceil((await stat(tarball)).size / 1024)} KiB`
    problems.push(...(await contents(tarball, folder)))
    problems.push(...(await publintOf(tarball)), ...(await wrongTypesOf(tarball)))
  } catch (error) {
    problems.push(error.stderr || error.message)
  }
  console.log(`${problems.length === 0 ? 'ok     ' : 'problem'} ${name} ${size}`)
  for (const problem of problems) console.log(`        ${String(problem).trim().replaceAll('\n', '\n        ')}`)
  return problems
}

/** pnpm packs: it alone puts `publishConfig` and the versions of `workspace:` and `catalog:` into the manifest. */
async function pack(folder, name) {
  const target = await mkdtemp(join(out, `${name.split('/').pop()}-`))
  await exec('npx', ['-y', 'pnpm@12', 'pack', '--pack-destination', target], {
    cwd: folder,
    shell: process.platform === 'win32',
  })
  const [file] = await readdir(target)
  if (!file) throw new Error('pnpm pack made no tarball.')
  return join(target, file)
}

/** Sources that point nowhere and tests are no part of what users get. */
async function contents(tarball, folder) {
  const { stdout } = await exec('tar', ['-tzf', tarball])
  const files = stdout.split('\n').filter(Boolean)
  const stray = files.filter(file => /\.test\.|\.tsbuildinfo$|^package\/(src\/.*\.test|node_modules)/.test(file))
  const missing = ['package/package.json', 'package/LICENSE'].filter(file => !files.includes(file))
  const sources = await readdir(join(folder, 'src'), { recursive: true })
  const made = files
    .filter(file => /^package\/dist\/.*\.js$/.test(file))
    .map(file => file.slice('package/dist/'.length))
  const stale = made.filter(file => !sources.includes(file.replace(/\.js$/, '.ts')))
  return [
    ...stale.map(file => `holds dist/${file}, which no source makes: delete dist and build again`),
    ...stray.map(file => `holds ${file}, which users do not need`),
    ...missing.map(file => `lacks ${file.replace('package/', '')}`),
    ...(files.some(file => file.startsWith('package/dist/') && file.endsWith('.js')) ? [] : ['holds no built file']),
  ]
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
  return exec(binaryOf('attw'), args, { shell: process.platform === 'win32' }).then(
    () => [],
    error => [`are the types wrong: ${error.stdout || error.stderr || error.message}`],
  )
}

/** All of them together, as a user would install them. */
async function checkInstalled(packages) {
  if (Object.keys(tarballs).length < packages.length) return ['not every package could be packed']
  const problems = await installedProblems({ folder: join(out, 'user'), tarballs, tsc: binaryOf('tsc') })
  if (problems.length === 0)
    console.log('ok      installed together: types under nodenext and bundler, every entry imported')
  return problems
}
