// Installs the built sandbox and the driver of PostgreSQL, as users would have them, with the versions of the lockfile:
// `node apps/sandbox/deploy/install.mjs FOLDER`, after `npm run bundle -- sandbox`.
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const [folder] = process.argv.slice(2)
if (!folder) {
  console.error('The folder is missing: node apps/sandbox/deploy/install.mjs FOLDER')
  process.exit(2)
}
const root = fileURLToPath(new URL('../../..', import.meta.url))
const target = resolve(folder)
const sandbox = '@lead-distribution/sandbox'

// Injected, the packages of the workspace are copied as they would be packed, not linked to their sources.
const deploy = [
  '-y',
  'pnpm@12',
  '--config.inject-workspace-packages=true',
  '--filter',
  sandbox,
  'deploy',
  '--prod',
  target,
]
execFileSync('npx', deploy, { cwd: root, stdio: 'inherit' })

// The driver is an optional peer, so it is not among what was deployed.
copyPackage(join(root, 'apps/sandbox/node_modules/pg'), join(target, 'node_modules/pg'))

// Only a tarball gets what `publishConfig` says: here the entries would still be the sources, which are not copied.
const store = join(target, 'node_modules/.pnpm')
const scope = '@lead-distribution'
const installed = readdirSync(store)
  .filter(name => name.startsWith(`${scope}+`))
  .map(name => join(store, name, 'node_modules', scope))
  .flatMap(modules => readdirSync(modules).map(name => join(modules, name)))
for (const manifest of [target, ...installed].map(each => join(each, 'package.json'))) {
  const { publishConfig, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(manifest, JSON.stringify({ ...rest, ...publishConfig }, null, 2))
}

/** Copies a package, and into it what it needs: pnpm keeps that beside it. */
function copyPackage(from, to) {
  const folder = realpathSync(from)
  cpSync(folder, to, { recursive: true })
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) copyPackage(join(dirname(folder), name), join(to, 'node_modules', name))
}
