import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../architecture/sources.ts'
import { chromiumPath, hasBrowser } from '../browser/open-browser.ts'

/** The command that runs a file in each language. */
export const interpreters: Readonly<Record<string, string>> = {
  sh: 'sh',
  ts: 'node',
  js: 'node',
  php: 'php',
  python: 'python3',
  java: 'java',
  ruby: 'ruby',
  go: 'go',
}

/** Shell checks for needs that are not a command. */
const checks: Readonly<Record<string, string>> = {
  browser: String(hasBrowser),
  'PHP with SQLite': `php -r 'new PDO("sqlite::memory:");'`,
}

/**
 * Returns why this machine cannot run a page or a program, to skip its test, and prints it. Throws with
 * `LEAD_TEST_COMPLETE`, where a machine has to have everything.
 */
export function missing(what: string, needs: readonly string[]): string | undefined {
  const has = (need: string) => spawnSync('sh', ['-c', checks[need] ?? `command -v ${need}`]).status === 0
  const lacking = needs.filter(need => !has(need))
  if (lacking.length === 0) return
  const lack = `this machine has no ${lacking.join(' and no ')}`
  if (process.env.LEAD_TEST_COMPLETE) throw new Error(`${what} cannot run: ${lack}.`)
  console.warn(`${what} is skipped: ${lack}.`)
  return `${what} is skipped: ${lack}`
}

/** Turns an empty folder into a project with our packages, vitest, and the libraries that pages use. */
export async function installPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const link = (from: string, names: readonly string[]) =>
    Promise.all(names.map(name => symlink(join(root, from, 'node_modules', name), join(modules, name))))
  await link('.', ['vitest', '.bin/vitest'])
  await link('packages/publisher-sdk', ['express', '@types'])
  await link('apps/e2e', [
    ...['@lead-distribution', '@nestjs', '@opentelemetry', '@playwright', 'fastify', 'hono', 'msw', 'p-map', 'pino'],
    ...['reflect-metadata', 'rxjs', 'undici'],
  ])
}

/**
 * Adds our commands, run from source, and others that a reader has to a project. Returns the environment that finds
 * them. A sandbox listens on the port without commands that say so.
 */
export async function installCommands(folder: string, port: string): Promise<Record<string, string>> {
  const bin = join(folder, 'node_modules/.bin')
  const commands = {
    'lead-sandbox': `case "$*" in
  *--port*) ;;
  start*|certify*) set -- "$@" --port ${port} ;;
esac
exec node '${join(root, 'apps/sandbox/src/main.ts')}' "$@"`,
    'lead-conformance': `exec node '${join(root, 'packages/conformance/src/cli/main.ts')}' "$@"`,
    jq: `exec node '${join(root, 'apps/e2e/src/code-blocks/jq-command.ts')}' "$@"`,
    npx: 'exec "$@"',
    // Installs nothing, and succeeds only for packages that are present.
    npm: `[ "$1" = install ] || exit 1
shift
for name in "$@"; do case $name in -*) ;; *) [ -d "node_modules/$name" ] || exit 1 ;; esac; done`,
  }
  for (const [name, script] of Object.entries(commands))
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    // Each page has a new home. All pages share Node's compile cache.
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    LEAD_SANDBOX_URL: `http://127.0.0.1:${port}`,
  }
}

/** Lets `playwright test` in a project find our tests' browser. A reader installs one. */
export async function installPlaywright(folder: string): Promise<void> {
  const launchOptions = JSON.stringify({
    executablePath: await chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const config = `import config from './playwright.config.ts'
export default { ...config, timeout: 60_000, use: { ...config.use, launchOptions: ${launchOptions} } }`
  await saveFile(folder, { name: 'with-browser.config.ts', code: config })
  const script = `#!/bin/sh
[ -f playwright.config.ts ] || echo 'export default {}' > playwright.config.ts
exec node node_modules/@playwright/test/cli.js "$@" --config with-browser.config.ts
`
  await writeFile(join(folder, 'node_modules/.bin/playwright'), script, { mode: 0o755 })
}

/** Saves a page's file. Returns its path. */
export async function saveFile(folder: string, { name, code }: { name: string; code: string }): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${code}\n`)
  return path
}

/** Collects a process's output. The returned function returns the output so far. */
export function printedBy({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): () => string {
  let printed = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', text => {
      printed += text
    })
  return () => printed
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** A reader in a folder: a shell that keeps its variables, and terminals. */
export class Reader {
  readonly #folder: string
  readonly #environment: Readonly<Record<string, string>>
  readonly #processes: ChildProcessWithoutNullStreams[] = []
  readonly #terminals = new Map<string, ChildProcessWithoutNullStreams>()
  readonly #shell: ChildProcessWithoutNullStreams
  readonly #ends: AsyncIterator<string>
  #blocks = 0

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#environment = environment
    this.#shell = this.#spawn(['--noprofile', '--norc'])
    this.#ends = createInterface({ input: this.#shell.stdout })[Symbol.asyncIterator]()
    // A command that fails in the middle of a block fails the block.
    this.#shell.stdin.write("set -E -o pipefail; trap 'failed=$?' ERR\n")
  }

  /** Types a block. Resolves when it is done, to the last failed command's exit code and to the output. */
  async type(code: string): Promise<{ readonly exit: number; readonly printed: string }> {
    const name = `.block-${++this.#blocks}`
    await saveFile(this.#folder, { name, code })
    this.#shell.stdin.write(`failed=0; . ./${name} >${name}.out 2>&1 </dev/null; echo $failed\n`)
    const { value: failed } = await this.#ends.next()
    return { exit: Number(failed), printed: await readFile(join(this.#folder, `${name}.out`), 'utf8') }
  }

  /** Types a block into a separate terminal. Resolves on the first output, to the output so far. */
  async open(code: string): Promise<() => string> {
    const child = this.#spawn(['-c', code])
    this.#terminals.set(code, child)
    const printed = printedBy({ stdout: child.stdout, stderr: null })
    const errors = printedBy({ stdout: null, stderr: child.stderr })
    const isOver = await Promise.race([
      once(child.stdout, 'data').then(() => false),
      once(child, 'close').then(() => true),
    ])
    if (isOver) throw new Error(`The command should stay running, but ended at once: ${printed()}${errors()}`)
    return printed
  }

  /** Presses Ctrl-C in the terminal whose command contains a text. Resolves when it has ended. */
  async interrupt(command: string): Promise<void> {
    const [, child] = [...this.#terminals].find(([code, each]) => code.includes(command) && !hasEnded(each)) ?? []
    if (!child) throw new Error(`No terminal runs ${command}.`)
    await this.#kill(child, 'SIGINT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes) if (!hasEnded(child)) await this.#kill(child, 'SIGKILL')
  }

  async #kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.pid === undefined) return
    const exit = once(child, 'exit')
    process.kill(-child.pid, signal)
    await exit
  }

  /** A shell in its own process group, so that its child processes end with it. */
  #spawn(args: string[]): ChildProcessWithoutNullStreams {
    const child = spawn('bash', args, { cwd: this.#folder, env: this.#environment, detached: true })
    this.#processes.push(child)
    return child
  }
}
