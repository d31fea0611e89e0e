// `npm run release` publishes what npm does not have yet: the tarballs that passed every check of what is published. It runs
// in .github/workflows/release.yml, which npm trusts; no token is kept anywhere. `npm run release:dry` does the same without
// publishing: in a clone of the last commit, with its changesets applied.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
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

function isPublished({ name, version }) {
  const { status, stderr } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' })
  if (status !== 0 && !stderr.includes('E404')) throw new Error(stderr)
  return status === 0
}

try {
  if (process.argv.includes('--dry-run')) {
    run(root, 'git', 'clone', '--quiet', '--no-hardlinks', root, join(temporary, 'clone'))
    run(join(temporary, 'clone'), 'npm', 'run', '--silent', 'release:version')
    run(join(temporary, 'clone'), 'git', '--no-pager', 'diff', '--stat')
    run(join(temporary, 'clone'), 'npm', 'run', 'release', '--', '--show')
  } else {
    const show = process.argv.includes('--show')
    const waiting = publicPackages.filter(each => show || !isPublished(each))
    const tarballs = waiting.length > 0 ? await pack(temporary) : {}
    process.env.LEAD_TEST_TARBALLS = JSON.stringify(tarballs)
    if (waiting.length > 0) run(root, 'npm', 'run', '--silent', 'check:packages')
    // npm proves the origin of what a workflow publishes. The first version of a package cannot come from one: npm trusts a
    // workflow only for a package that it has.
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
