import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openSqliteAdapter } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'

/** Makes an empty folder a project that has installed our packages, vitest, and the libraries that guides and READMEs use. */
export async function installPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'apps/e2e/node_modules/@lead-distribution'), join(modules, '@lead-distribution'))
  await symlink(join(root, 'node_modules/vitest'), join(modules, 'vitest'))
  await symlink(join(root, 'node_modules/.bin/vitest'), join(modules, '.bin/vitest'))
  for (const name of [
    ...['fastify', 'hono', 'msw', 'p-map', 'pino', 'undici', '@opentelemetry', '@playwright'],
    ...['@nestjs', 'reflect-metadata', 'rxjs'],
  ]) {
    await symlink(join(root, 'apps/e2e/node_modules', name), join(modules, name))
  }
  for (const name of ['express', '@types']) {
    await symlink(join(root, 'packages/publisher-sdk/node_modules', name), join(modules, name))
  }
}

/**
 * Puts the command line, from its sources, and jq into a reader's folder; answers the environment that finds it. The sandbox is
 * at a port instead of the documented one, without that the guide's commands have to say so.
 */
export async function installCommands(folder: string, port: string): Promise<Record<string, string>> {
  const bin = join(folder, 'node_modules/.bin')
  const program = `#!/bin/sh
case "$*" in
  *--port*) ;;
  start*|certify*) set -- "$@" --port ${port} ;;
esac
exec node '${join(root, 'apps/sandbox/src/main.ts')}' "$@"
`
  await writeFile(join(bin, 'lead-sandbox'), program, { mode: 0o755 })
  const conformance = `#!/bin/sh\nexec node '${join(root, 'packages/conformance/src/cli/main.ts')}' "$@"\n`
  await writeFile(join(bin, 'lead-conformance'), conformance, { mode: 0o755 })
  const jq = `#!/bin/sh\nexec node '${join(root, 'apps/e2e/src/guides/jq-command.ts')}' "$@"\n`
  await writeFile(join(bin, 'jq'), jq, { mode: 0o755 })
  return {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    // The home is new in each guide: what Node has compiled is kept for all of them.
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    LEAD_SANDBOX_URL: `http://127.0.0.1:${port}`,
  }
}

/** Gathers what a process prints on its piped streams; answers what that is up to now. */
export function printedBy({ stdout, stderr }: ChildProcess): () => string {
  let printed = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', text => {
      printed += text
    })
  return () => printed
}

/** Returns true if a process is over, by itself or by a signal. */
const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** How a block of commands ended, and what it printed. */
export interface Printed {
  /** That of the last command that failed; 0 where none did. */
  readonly code: number
  /** On stdout and stderr, as a terminal shows it. */
  readonly output: string
}

/** A terminal with a command that stays running. */
export interface Terminal {
  /** Its output up to now, on stdout. */
  printed(): string
}

/** A reader at work in a folder, with a shell that remembers its variables. */
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

  /** Saves a file as the guide shows it. */
  async save(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.#folder, name)), { recursive: true })
    await writeFile(join(this.#folder, name), `${text}\n`)
  }

  /** Types a block into the shell; answers when it is done. */
  async type(code: string): Promise<Printed> {
    const block = `.block-${++this.#blocks}`
    await this.save(block, code)
    this.#shell.stdin.write(`failed=0; . ./${block} >${block}.out 2>&1 </dev/null; echo $failed\n`)
    const { value: failed } = await this.#ends.next()
    return { code: Number(failed), output: await readFile(join(this.#folder, `${block}.out`), 'utf8') }
  }

  /** Types a block into its own terminal; answers when it has printed something, and rejects when it ends first. */
  async open(code: string): Promise<Terminal> {
    const child = this.#spawn(['-c', code])
    this.#terminals.set(code, child)
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', data => {
      said.stdout += data
    })
    child.stderr.on('data', data => {
      said.stderr += data
    })
    const isOver = await Promise.race([
      once(child.stdout, 'data').then(() => false),
      once(child, 'close').then(() => true),
    ])
    if (isOver) throw new Error(`It was to stay running, and ended at once: ${said.stdout}${said.stderr}`)
    return { printed: () => said.stdout }
  }

  /** Presses Ctrl-C in the terminal whose block contains a text; answers when its command has ended. */
  async interrupt(command: string): Promise<void> {
    const running = [...this.#terminals].find(([code, child]) => code.includes(command) && !hasEnded(child))
    const child = running?.[1]
    if (child?.pid === undefined) throw new Error(`No terminal runs ${command}.`)
    const exit = once(child, 'exit')
    process.kill(-child.pid, 'SIGINT')
    await exit
  }

  /** Ends what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes) {
      if (hasEnded(child) || child.pid === undefined) continue
      const exit = once(child, 'exit')
      process.kill(-child.pid, 'SIGKILL')
      await exit
    }
  }

  /** A shell in its own process group, so that it ends together with what it started. */
  #spawn(args: string[]): ChildProcessWithoutNullStreams {
    const child = spawn('bash', args, { cwd: this.#folder, env: this.#environment, detached: true })
    this.#processes.push(child)
    return child
  }
}

/** The sandbox of a journey: a server over a SQLite file, open while the tests of a file run. */
export interface Journey {
  readonly adapter: Adapter
  /** Makes a tenant of the journey's own. */
  newTenant(creation?: object): Promise<Tenant>
}

/** Opens what the journeys of a file work with. */
export function openJourney(): Journey {
  let opened: Adapter | undefined
  const adapter = () => {
    if (!opened) throw new Error('The server is open within a test only.')
    return opened
  }
  beforeAll(async () => {
    opened = await openSqliteAdapter()
  })
  afterAll(() => opened?.close())
  return {
    get adapter() {
      return adapter()
    },
    newTenant: creation => createTenant(adapter(), creation),
  }
}
