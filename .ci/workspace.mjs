// Runs a command of the workspace: `node .ci/workspace.mjs vitest run`. Plain Node 20 and npm are enough:
// what is missing is installed first (pnpm comes by npx), and the command runs on the workspace's own Node.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')
const stamp = join(root, 'node_modules', '.installed-lockfile')
const [command, ...args] = process.argv.slice(2)
if (!command) {
  console.error('Say what to run: node .ci/workspace.mjs COMMAND [ARGUMENT]…')
  process.exit(2)
}

const text = file => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

// Equal lockfile, equal installation: then pnpm is not even started, which alone takes a second.
const lockfile = text(join(root, 'pnpm-lock.yaml'))
if (text(stamp) !== lockfile) {
  console.error('Installing what is missing…')
  const install = spawnSync('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (install.status !== 0) process.exit(install.status ?? 1)
  writeFileSync(stamp, lockfile ?? '')
}

const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
const child = spawn(command, args, { cwd: root, env, stdio: 'inherit', shell: process.platform === 'win32' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', error => {
  console.error(`Could not run ${command}: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
