import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openSqliteAdapter } from '../adapters/every-adapter.ts'
import { freePort } from '../adapters/sockets.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'
import { parsePage, readPage, type Step } from '../code-blocks/parse-page.ts'
import { interpreters, missing, printedBy } from '../code-blocks/reader.fixture.ts'

/** A page's program, in a folder with the page's other programs. */
export type Program = Extract<Step, { kind: 'file' }> & { readonly folder: string }

/** The commands that a shell script may need besides those of every system. */
const tools = ['curl', 'jq', 'openssl']

/**
 * Describes each program of a page. Skips a program whose interpreter or tools this machine lacks, and says so. Throws
 * unless the page has a program in each of the languages, and no other block.
 */
export function describePrograms(page: string, languages: readonly string[], tests: (program: Program) => void): void {
  const steps = parsePage(readPage(`docs/languages/${page}`)).filter(({ kind }) => kind !== 'left')
  const programs = steps.filter(step => step.kind === 'file')
  const shown = programs.map(({ language }) => language)
  if (steps.length > programs.length || `${shown}` !== `${languages}`)
    throw new Error(`${page} has other blocks than programs in ${languages.join(', ')}: ${shown.join(', ')}.`)
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  symlinkSync(join(root, 'apps/e2e/node_modules'), join(folder, 'node_modules'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const parser = parsePage(readPage('docs/languages/README.md')).filter(step => step.kind === 'file')
  const files = [...programs, ...parser]
  for (const { name, code } of files) writeFileSync(join(folder, name), `${code}\n`)
  for (const program of programs) {
    const { name, language, code } = program
    const needed = language === 'sh' ? tools.filter(tool => code.includes(`${tool} `)) : [interpreters[language] ?? '']
    const reason = missing(name, needed)
    // Compiled once: `java FILE` would compile at each start.
    const compile = () =>
      execFileSync(
        'javac',
        files.filter(each => each.language === 'java').map(each => each.name),
        { cwd: folder },
      )
    describe.skipIf(reason)(reason ?? name, () => {
      if (language === 'java') beforeAll(compile)
      tests({ ...program, folder })
    })
  }
}

/** A running program. */
export interface Running extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  /** Its output, on either stream. */
  printed(): string
}

interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a program with the arguments of its language's command. */
export function start(
  { language, name, folder }: Pick<Program, 'language' | 'name' | 'folder'>,
  { args = [name], env = {} }: StartOptions = {},
): Running {
  const flags: Record<string, string[]> = { go: ['run'], java: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] }
  const given = args.map(each => (each === name ? name.replace('.java', '') : each))
  const child = spawn(interpreters[language] ?? '', [...(flags[language] ?? []), ...given], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  child.stdin.end()
  const closed = once(child, 'close')
  return {
    child,
    printed: printedBy(child),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** A test's server. */
export interface OpenServer {
  readonly origin: string
  printed(): string
}

/** Starts a program that listens on the given port. Resolves once it accepts requests. It ends with the test. */
export async function openServer(
  program: Parameters<typeof start>[0],
  optionsFor: (port: string) => StartOptions,
): Promise<OpenServer> {
  const port = String(await freePort())
  const running = start(program, optionsFor(port))
  onTestFinished(() => running[Symbol.asyncDispose]())
  const origin = `http://127.0.0.1:${port}`
  const listens = () =>
    fetch(origin).then(
      () => true,
      () => running.child.exitCode,
    )
  await expect.poll(listens).not.toBe(null)
  expect(running.child.exitCode, running.printed()).toBe(null)
  return { origin, printed: running.printed }
}

/** Runs a program to its end. */
export async function run(program: Program, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const running = start(program, { args: [program.name, ...args], env })
  const [code] = await once(running.child, 'close')
  return { code: code as number, printed: running.printed() }
}

/** Opens a server over a SQLite file for a file's tests. Returns its adapter, and a function that creates a tenant. */
export function openJourney() {
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
    adapter,
    newTenant: (creation?: object): Promise<Tenant> => createTenant(adapter(), creation),
  }
}
