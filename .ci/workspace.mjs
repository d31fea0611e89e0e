// Runs a command in the workspace: `node .ci/workspace.mjs vitest run`. Needs only Node 20 and npm: missing packages are
// installed first (pnpm comes by npx), and the command runs on the workspace's own Node.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.installed-lockfile')
const compiled = join(modules, '.compile-cache')
const windows = process.platform === 'win32'
const parent = process.ppid
const npm = npmAboveShell()
const [command, ...args] = process.argv.slice(2)
if (!command) {
  console.error('The command is missing: node .ci/workspace.mjs COMMAND [ARGUMENT]…')
  process.exit(2)
}

// If the lockfile is unchanged, so is the installation. Then pnpm, which takes a second, does not even start.
const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockfile) {
  console.error('Installing what is missing: about half a minute the first time…')
  const code = await run('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--loglevel=warn'], ['ignore', 2, 2])
  if (code !== 0) {
    console.error('The installation failed, for the reason above. Run the same command again to retry.')
    process.exit(code)
  }
  // vitest's cache refers to the installed vitest. With another one, tests would run in two.
  rmSync(join(modules, '.vitest-cache'), { recursive: true, force: true })
  // Node's cache grows with each version of a file.
  rmSync(compiled, { recursive: true, force: true })
  writeFileSync(stamp, lockfile)
}

// Node's compile cache, with types stripped, which halves the time to start a command.
process.env.NODE_COMPILE_CACHE ??= compiled
process.env.PATH = `${join(modules, '.bin')}${delimiter}${process.env.PATH}`
process.exitCode = await run(command, args, 'inherit')

/** Runs a program in the root folder to its end. Returns its exit code: 128 or more after a signal. */
function run(file, fileArgs, stdio) {
  return new Promise(resolve => {
    // On Windows, the programs in node_modules/.bin are .cmd files, which need a shell. It gets one quoted line.
    const quoted = [file, ...fileArgs].map(argument =>
      /^[\w./:=@-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '""')}"`,
    )
    const child = windows
      ? spawn(quoted.join(' '), { cwd: root, stdio, shell: true })
      : spawn(file, fileArgs, { cwd: root, stdio })
    let signalled = false
    const stop = signal => {
      signalled = true
      // The terminal itself sends Ctrl-C to the child. A second one would force the child to exit.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
    const watch = setInterval(() => !signalled && isOrphan() && stop('SIGTERM'), 250)
    const end = code => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop)
      clearInterval(watch)
      resolve(code)
    }
    child.on('error', error => {
      console.error(`Could not run ${file}: ${error.message}`)
      end(127)
    })
    child.on('exit', (code, signal) => end(code ?? 128 + (constants.signals[signal] ?? 0)))
  })
}

/** A shell between npm and this process ends when npm gets SIGTERM, but outlives a killed npm, so npm is watched too. */
function npmAboveShell() {
  if (windows || !process.env.npm_lifecycle_event) return parent
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', `${parent}`], { encoding: 'utf8' })
  return Number(/^\s*(\d+)\s.*sh$/m.exec(stdout ?? '')?.[1] ?? parent)
}

/** On Windows, the parent's id remains after its exit, so this checks the process itself. */
function isOrphan() {
  try {
    return process.ppid !== parent || !process.kill(npm, 0)
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
