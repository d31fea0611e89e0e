// `npm run release` publishes what npm does not have yet: the tarballs that passed every check of what is published. It runs
// in .github/workflows/release.yml, which npm trusts; no token is kept anywhere. npm trusts a workflow only for a package
// that it has: a maintainer runs it for the first version. `npm run release:dry` does the same without publishing: in a
// clone of the last commit, with its changesets applied.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './build-if-changed.mjs'
import { pack, publicPackages } from './packages.mjs'

const temporary = mkdtempSync(join(tmpdir(), 'release-'))

/** Runs a program in plain view; throws where it fails. On Windows those of npm need a shell. */
function run(cwd, file, ...args) {
  console.log(`\n$ ${[file, ...args].join(' ')}`)
  execFileSync(file, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
}

/** Returns true if npm has a package, such as `semver`, or a version of it, such as `semver@7.5.0`. */
function isOnNpm(name) {
  const shell = process.platform === 'win32'
  const { status, stderr } = spawnSync('npm', ['view', name, 'version'], { encoding: 'utf8', shell })
  if (status !== 0 && !stderr.includes('E404')) throw new Error(stderr)
  return status === 0
}

/** Returns the packages that npm does not have in this version; throws if they cannot be published from here. */
function unpublished() {
  const waiting = publicPackages.filter(({ name, version }) => !isOnNpm(`${name}@${version}`))
  if (process.env.GITHUB_ACTIONS) {
    const first = waiting.filter(({ name }) => !isOnNpm(name)).map(({ name }) => name)
    if (first.length > 0)
      throw new Error(
        `npm has no version of ${first.join(', ')}: a maintainer publishes the first by \`npm run release\`.`,
      )
  }
  if (waiting.length > 0 && execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) !== '')
    throw new Error(
      'The working tree has changes: commit or stash them, so that a commit has everything that is published.',
    )
  return waiting
}

try {
  if (process.argv.includes('--dry-run')) {
    const clone = join(temporary, 'clone')
    run(root, 'git', 'clone', '--quiet', '--no-hardlinks', root, clone)
    // `changeset version` fails without a changeset: then the versions in the tree are those of the release.
    if (globSync('.changeset/*.md', { cwd: clone, exclude: ['.changeset/README.md'] }).length > 0) {
      run(clone, 'npm', 'run', '--silent', 'release:version')
      run(clone, 'git', '--no-pager', 'diff', '--stat')
    }
    run(clone, 'npm', 'run', 'release', '--', '--show')
  } else {
    const show = process.argv.includes('--show')
    const waiting = show ? publicPackages : unpublished()
    const tarballs = waiting.length > 0 ? await pack(temporary) : {}
    process.env.LEAD_TEST_TARBALLS = JSON.stringify(tarballs)
    if (waiting.length > 0) run(root, 'npm', 'run', '--silent', 'check:packages')
    // npm proves the origin of what a workflow publishes.
    const more = show ? ['--dry-run'] : process.env.GITHUB_ACTIONS ? ['--provenance'] : []
    for (const { name } of waiting)
      run(temporary, 'npm', 'publish', tarballs[name], '--access', 'public', '--loglevel', 'warn', ...more)
    console.log(`\n${show ? 'Would publish' : 'Published'} ${waiting.length} packages, ${publicPackages[0].version}.`)
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
