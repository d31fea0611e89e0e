// `npm run release` publishes each version that npm does not have yet: the tarballs that passed every check of what is
// published. It runs in .github/workflows/release.yml, which npm trusts; no token is kept anywhere.
// `npm run release:dry` does the same without publishing: in a clone of the last commit, with its changesets applied.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicPackages, root } from './packages.mjs'

const dry = process.argv.includes('--dry-run')
const temporary = mkdtempSync(join(tmpdir(), 'release-'))

try {
  if (dry) inClone()
  else await publish(process.argv.includes('--show'))
} catch (error) {
  // What failed has said why.
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

/** Runs a program in plain view; throws where it fails. On Windows those of npm need a shell. */
function run(cwd, file, ...args) {
  console.log(`\n$ ${[file, ...args].join(' ')}`)
  execFileSync(file, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
}

/** Versions in a clone, so that this checkout stays as it is, and shows there what a release would publish. */
function inClone() {
  const clone = join(temporary, 'clone')
  run(root, 'git', 'clone', '--quiet', '--no-hardlinks', root, clone)
  run(clone, 'npm', 'run', '--silent', 'release:version')
  run(clone, 'git', '--no-pager', 'diff', '--stat')
  run(clone, 'npm', 'run', 'release', '--', '--show')
}

async function publish(show) {
  const packed = join(temporary, 'tarballs')
  const packages = await publicPackages()
  const waiting = show ? packages : packages.filter(({ name, version }) => !isPublished(name, version))
  if (waiting.length === 0) return console.log(`Version ${packages[0].version} is published.`)
  run(root, 'npm', 'run', '--silent', 'check:packages', '--', '--keep', packed)
  const files = readdirSync(packed)
  // npm proves the origin of what a workflow publishes. The first version of a package cannot come from one: npm trusts
  // a workflow only for a package that it has.
  const provenance = process.env.GITHUB_ACTIONS && !show ? ['--provenance'] : []
  for (const { name, version } of waiting) {
    const file = files.find(each => each === `${name.slice(1).replace('/', '-')}-${version}.tgz`)
    if (!file) throw new Error(`There is no tarball of ${name}@${version} among ${files.join(', ')}.`)
    const args = ['--access', 'public', '--loglevel', 'warn', ...provenance, ...(show ? ['--dry-run'] : [])]
    run(temporary, 'npm', 'publish', join(packed, file), ...args)
  }
  console.log(`\n${show ? 'Would publish' : 'Published'} ${waiting.length} packages in version ${waiting[0].version}.`)
}

function isPublished(name, version) {
  try {
    const found = execFileSync('npm', ['view', `${name}@${version}`, 'version', '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    return found.trim() !== ''
  } catch (error) {
    if (`${error.stdout}${error.stderr}`.includes('E404')) return false
    throw error
  }
}
