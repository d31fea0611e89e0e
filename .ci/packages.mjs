// The packages that users install, their bundles and their tarballs. `npm run bundle -- msw` bundles one, and `npm run
// pack -- msw` packs it with its dependencies. Without a name, both include all.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'tsdown'
import { buildIfChanged, root } from './build-if-changed.mjs'

/** Runs a program. Throws with its output if it fails. On Windows, npm's programs are .cmd files, which need a shell. */
function run(file, ...args) {
  const shell = process.platform === 'win32'
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`${file} ${args[0]} failed.\n${error ?? stdout + stderr}`)
}

/** The published packages, dependencies first. Dependencies are at most one level deep. */
export const publicPackages = globSync('{packages,apps}/*/package.json', { cwd: root })
  .map(path => ({ folder: join(root, dirname(path)), ...JSON.parse(readFileSync(join(root, path), 'utf8')) }))
  .filter(each => !each.private)
  .map(each => ({
    ...each,
    needs: Object.keys(each.dependencies).filter(name => name.startsWith('@lead-distribution/')),
  }))
  .sort((one, other) => one.needs.length - other.needs.length)

/** Returns the packages in some folders, such as `publisher-sdk`, and their dependencies. Without a folder, returns all. */
function packagesOf(folders) {
  const known = publicPackages.map(({ folder }) => basename(folder))
  const wrong = folders.find(folder => !known.includes(folder))
  if (wrong) throw new Error(`There is no published package '${wrong}'. Pass one of ${known.join(', ')}.`)
  const isWanted = ({ folder }) => folders.length === 0 || folders.includes(basename(folder))
  const needed = publicPackages.filter(isWanted).flatMap(({ needs }) => needs)
  return publicPackages.filter(each => isWanted(each) || needed.includes(each.name))
}

/** Bundles packages that have changed, and the console next to the sandbox. */
async function bundle(packages) {
  const sources = ['{packages/*,apps/sandbox}/src/**/*.ts', '{packages/*,apps/sandbox}/package.json']
  for (const each of packages) {
    const stamp = `node_modules/.bundled-${basename(each.folder)}`
    if (!existsSync(join(each.folder, 'dist'))) rmSync(join(root, stamp), { force: true })
    await buildIfChanged(stamp, [...sources, 'pnpm-lock.yaml', '.ci/packages.mjs'], () => bundleOne(each))
  }
  const sandbox = packages.find(({ bin }) => bin?.['lead-sandbox'])
  if (!sandbox) return
  await import('./build-pages.mjs')
  // Users do not install Swagger UI: our package contains the files that the reference page loads.
  const swagger = '@fastify/swagger-ui/static'
  const require = createRequire(join(sandbox.folder, 'package.json'))
  const source = dirname(require.resolve(`${swagger}/swagger-ui.css`))
  for (const file of ['favicon-32x32.png', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'])
    copyFileSync(join(source, file), join(sandbox.folder, 'reference', file))
}

/** Declarations refer to zod's types, which a user's own zod shares, even if zod's code is in the bundle. */
const zodTypes = {
  name: 'zod-types',
  resolveId: {
    order: 'pre',
    // Without side effects, so that a package whose declarations use none of its types does not import it.
    handler: (id, importer) =>
      id === 'zod/mini' && importer?.endsWith('.d.ts') ? { id, external: true, moduleSideEffects: false } : undefined,
  },
}

async function bundleOne({ folder, exports, bin }) {
  const commands = Object.values(bin ?? {}).map(path => path.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
  const threads = globSync('src/**/*-thread.ts', { cwd: folder }).map(path => `./${path}`)
  const entries = [...Object.values(exports), ...commands].map(path => [
    path.slice('./src/'.length, -'.ts'.length),
    path,
  ])
  const isPublished = id => publicPackages.some(({ name }) => id === name || id.startsWith(`${name}/`))
  // A package's declarations refer to those that `tsc -b` writes for its dependencies.
  run('tsc', '-b', folder)
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  await build({
    config: false,
    cwd: folder,
    entry: {
      ...Object.fromEntries(entries),
      ...Object.fromEntries(threads.map(path => [basename(path, '.ts'), path])),
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
      // Without zod's messages in sixty languages, a command starts faster and is 6 MB smaller.
      alwaysBundle: id => (id.startsWith('@lead-distribution/') && !isPublished(id)) || (bin && id === 'zod/mini'),
      neverBundle: isPublished,
    },
    plugins: [zodTypes],
  })
}

/**
 * Packs packages into a folder. Returns the tarballs' paths by name. Uses pnpm, because only pnpm writes `publishConfig`
 * and the resolved `workspace:` and `catalog:` versions to the manifest.
 */
export async function pack(out, folders = [], change = () => undefined) {
  const packages = packagesOf(folders)
  await bundle(packages)
  mkdirSync(out, { recursive: true })
  run('npx', '-y', 'pnpm@12', ...packages.flatMap(({ name }) => ['--filter', name]), 'pack', '--pack-destination', out)
  const tarballs = {}
  for (const each of packages) {
    tarballs[each.name] = join(out, `${each.name.slice(1).replace('/', '-')}-${each.version}.tgz`)
    rewrite(tarballs[each.name], unpacked => {
      linkToRepository(unpacked, each.homepage)
      change(each, unpacked, tarballs)
    })
  }
  return tarballs
}

/** Unpacks a tarball, edits its files, and repacks it. */
function rewrite(tarball, change) {
  const folder = mkdtempSync(join(tmpdir(), 'unpacked-'))
  run('tar', '-xzf', tarball, '-C', folder)
  change(join(folder, 'package'))
  const files = globSync('**', { cwd: folder, withFileTypes: true }).filter(each => each.isFile())
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
  run('tar', '-czf', tarball, '-C', folder, ...paths.sort())
  rmSync(folder, { recursive: true })
}

/** npm shows only the README, and agents read the installed files, so links to other files point to the repository. */
function linkToRepository(unpacked, homepage) {
  const base = homepage.replace('/tree/', '/blob/').replace(/#.*$/, '/')
  for (const page of ['README.md', 'AGENTS.md'].map(name => join(unpacked, name)).filter(existsSync)) {
    const text = readFileSync(page, 'utf8')
    writeFileSync(
      page,
      text.replaceAll(/(?<=\]\()(?![a-z]+:|#)[^)\s]+/g, link => new URL(link, base).href),
    )
  }
}

/**
 * Packs packages so that they find each other wherever they are installed: each refers to its dependencies' tarballs by
 * path.
 */
async function packInstallable(folders) {
  const packed = join(root, 'packed')
  const temporary = mkdtempSync(join(tmpdir(), 'pack-'))
  const places = {}
  const tarballs = await pack(temporary, folders, ({ name, folder, version, needs }, unpacked) => {
    const path = join(unpacked, 'package.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    for (const need of needs) manifest.dependencies[need] = `file:${places[need]}`
    writeFileSync(path, JSON.stringify(manifest, null, 2))
    // The name contains a hash of the content, because package managers do not reread a file they know.
    const hash = createHash('sha256')
    for (const file of globSync('**/*.*', { cwd: unpacked }).sort()) hash.update(readFileSync(join(unpacked, file)))
    places[name] = join(packed, `${basename(folder)}-${version}-${hash.digest('hex').slice(0, 8)}.tgz`)
  })
  mkdirSync(packed, { recursive: true })
  for (const [name, place] of Object.entries(places)) if (!existsSync(place)) renameSync(tarballs[name], place)
  rmSync(temporary, { recursive: true })
  const wanted = publicPackages.filter(({ folder }) => folders.length === 0 || folders.includes(basename(folder)))
  console.log(
    `Packed into ${packed}. Leave the files there: they refer to each other by path. In another project, run this, or the same with pnpm add:\n\n  npm install ${wanted.map(({ name }) => `"${places[name]}"`).join(' ')}\n`,
  )
}

if (import.meta.main) {
  const [command, ...folders] = process.argv.slice(2)
  try {
    if (command === 'bundle') await bundle(packagesOf(folders))
    else await packInstallable(folders)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
