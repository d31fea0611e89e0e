// Runs a command of the workspace: `node .ci/workspace.mjs vitest run`. Plain Node 20 and npm are enough:
// what is missing is installed first (pnpm comes by npx), and the command runs on the workspace's own Node.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')
const stamp = join(root, 'node_modules', '.installed-lockfile')
const windows = process.platform === 'win32'
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
if (lockfile === undefined || text(stamp) !== lockfile) {
  console.error('Installing what is missing…')
  const code = await run('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile'], ['ignore', 2, 2], process.env)
  if (code !== 0) {
    console.error('The installation failed: the lines above say why. Nothing was run.')
    process.exit(code)
  }
  // What vitest keeps names the very vitest that made it: after another one was linked, tests would run in two.
  rmSync(join(root, 'node_modules', '.vitest-cache'), { recursive: true, force: true })
  writeFileSync(stamp, lockfile ?? '')
}

process.exitCode = await run(command, args, 'inherit', {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH}`,
})

/** Runs a program in the root folder to its end and gives its exit code: 128 and more where a signal ended it. */
function run(file, fileArgs, stdio, env) {
  return new Promise(resolve => {
    // On Windows the programs of node_modules/.bin are .cmd files, which only a shell runs: it gets one quoted line.
    const line = [file, ...fileArgs].map(word =>
      /^[\w./:=@-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`,
    )
    const child = windows
      ? spawn(line.join(' '), { cwd: root, env, stdio, shell: true })
      : spawn(file, fileArgs, { cwd: root, env, stdio })
    // Ctrl-C reaches the child by the terminal itself; forwarded once more, a clean stop would become a forced one.
    const forwarded = { SIGTERM: true, SIGHUP: true, SIGINT: !process.stdin.isTTY }
    const listeners = Object.entries(forwarded).map(([signal, forwards]) => {
      const listener = () => forwards && child.kill(signal)
      process.on(signal, listener)
      return () => process.off(signal, listener)
    })
    const end = code => {
      for (const stop of listeners) stop()
      resolve(code)
    }
    child.on('error', error => {
      console.error(`Could not run ${file}: ${error.message}`)
      end(127)
    })
    child.on('exit', (code, signal) => end(code ?? 128 + (constants.signals[signal] ?? 0)))
  })
}
