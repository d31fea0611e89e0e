import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'
import { printedBy } from '../guides/reader.fixture.ts'

/** The command that runs a file of each language. */
export const interpreters = {
  sh: 'sh',
  ts: 'node',
  php: 'php',
  python: 'python3',
  java: 'java',
  js: 'node',
  ruby: 'ruby',
  go: 'go',
} as const

/** The commands that a shell script may need, beside those of every system. */
const tools = ['curl', 'jq', 'openssl']

/** A program that a page shows. */
export interface Program {
  readonly language: keyof typeof interpreters
  readonly file: string
  readonly code: string
}

const block = /^```(sh|php|python|java|js|ruby|go)\n((?:#!.*\n)?(?:<\?php )?(?:#|\/\/) ([\w-]+\.\w+)[\s\S]*?)^```$/gm

/** The programs of a page: the blocks whose first comment names a file. */
export function programsOf(page: string): Program[] {
  const text = readFileSync(join(root, 'docs/languages', page), 'utf8')
  return [...text.matchAll(block)].map(([, language, code, file]) => ({ language, code, file }) as Program)
}

/** Returns true if this machine has what a program needs; prints a warning if not, so that nobody takes it for tested. */
export function canRun({ language, file, code }: Program): boolean {
  const needed = language === 'sh' ? tools.filter(tool => code.includes(`${tool} `)) : [interpreters[language]]
  const missing = needed.filter(command => !isInstalled(command))
  if (missing.length > 0) console.warn(`${file} was not run: this machine has no ${missing.join(' and no ')}.`)
  return missing.length === 0
}

/** Returns true if a command can be found. */
const isInstalled = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0

/** A folder with the files of some programs. */
export function programFolder(programs: readonly Program[]) {
  const path = mkdtempSync(join(tmpdir(), 'programs-'))
  const parser = programsOf('README.md').filter(each => programs.some(({ language }) => language === each.language))
  for (const { file, code } of [...programs, ...parser]) writeFileSync(join(path, file), code)
  // Compiled once: `java FILE` would compile at each start.
  if (parser.some(canRun))
    execFileSync(
      'javac',
      [...new Set([...programs, ...parser])].filter(({ language }) => language === 'java').map(({ file }) => file),
      { cwd: path },
    )
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A program that runs. */
export interface Running extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  /** Its output, on either stream. */
  printed(): string
}

/** Starts a program with the arguments of its language's command. */
export function start(
  folder: string,
  { language, file }: Program,
  { args = [file], env = {} }: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Running {
  const command =
    language === 'go'
      ? ['run', ...args]
      : language === 'java'
        ? [
            '-XX:TieredStopAtLevel=1',
            '-XX:+UseSerialGC',
            ...args.map(each => (each === file ? file.replace('.java', '') : each)),
          ]
        : args
  const child = spawn(interpreters[language], command, { cwd: folder, env: { ...process.env, ...env } })
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

/** Runs a program to its end. */
export async function run(
  folder: string,
  program: Program,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const running = start(folder, program, { args: [program.file, ...args], env })
  const [code] = await once(running.child, 'close')
  return { code: code as number, printed: running.printed() }
}
