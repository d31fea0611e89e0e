import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { inject } from 'vitest'
import { root } from '../architecture/sources.ts'

export const tarballs = inject('tarballs')
export const sdks = ['@lead-distribution/publisher-sdk', '@lead-distribution/advertiser-sdk']

/**
 * Runs a program to its end; throws with all of its output. On Windows, npm is a .cmd file, which only a shell runs.
 */
export async function execute(file: string, args: readonly string[], options: object = {}) {
  const shell = file === 'npm' && process.platform === 'win32'
  return promisify(execFile)(file, args, { shell, timeout: 300_000, encoding: 'utf8', ...options }).catch(error => {
    throw Object.assign(new Error(`${error.message}\n${error.stdout}${error.stderr}`), error)
  })
}

export const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))
export const writeJson = (path: string, value: unknown) => writeFileSync(path, JSON.stringify(value, null, 2))

type Versions = Readonly<Record<string, string>>

/**
 * Creates a user's project: an empty folder, a manifest with some of our packages and others, and `npm install`.
 * `linked` lays packages out like pnpm, so that a package finds only what it declares; `hoisted` is npm's default.
 */
export async function createProject(
  name: string,
  packages: readonly string[],
  devDependencies: Versions = {},
  strategy: 'linked' | 'hoisted' = 'linked',
): Promise<string> {
  const folder = join(inject('projects'), name)
  mkdirSync(folder)
  const files = Object.entries(tarballs).map(([each, path]) => [each, `file:${path}`] as const)
  const dependencies = Object.fromEntries(files.filter(([each]) => packages.includes(each)))
  // Not published yet, so npm needs the locations of transitive packages.
  const overrides = Object.fromEntries(files.filter(([each]) => !packages.includes(each)))
  writeJson(join(folder, 'package.json'), { private: true, type: 'module', dependencies, devDependencies, overrides })
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', '--loglevel=error']
  await execute('npm', ['install', ...quiet, `--install-strategy=${strategy}`], { cwd: folder })
  return folder
}

/**
 * Returns the npm package with the binary of a Node version, to install as `node-VERSION`. Avoids the package `node`:
 * its install script runs another `npm install`, which has failed silently and left no binary.
 */
export function nodeBinary(version: string): readonly [name: string, version: string] {
  const { platform, arch } = process
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  return [`node-${version}`, `npm:${name}-${platform === 'win32' ? 'win' : platform}-${arch}@${version}`]
}

/** Returns the packages' entries and writes a program that imports them all. */
export function writeEntries(folder: string, packages: readonly string[]): string[] {
  const entries = packages.flatMap(name =>
    Object.keys(readJson(folder, 'node_modules', name, 'package.json').exports).map(path => name + path.slice(1)),
  )
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'\n`)
  const list = entries.map((_, index) => `entry${index}`)
  writeFileSync(join(folder, 'entries.ts'), `${imports.join('')}export const entries = [${list}]\n`)
  writeJson(join(folder, 'entries.json'), entries)
  return entries
}

/** Creates a project with only the SDKs, and the programs that use them in TypeScript and JavaScript. */
export async function createSdkProject(name: string): Promise<string> {
  const folder = await createProject(name, sdks, { '@types/node': '^22' })
  cpSync(join(root, 'apps/e2e/src/published/programs'), folder, { recursive: true })
  writeEntries(folder, sdks)
  for (const file of globSync('*.ts', { cwd: folder, exclude: ['*.d.ts'] })) {
    const { code } = await transform(readFileSync(join(folder, file), 'utf8'), { loader: 'ts' })
    writeFileSync(join(folder, file.replace('.ts', '.mjs')), code.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.mjs"'))
  }
  return folder
}

/** Returns a code block of a page, unchanged. */
export function blockOf(page: string, name: string): string {
  const code = new RegExp(`<!-- ${name} -->\n\`\`\`(?:js|ts|sh)\n(.*?)\`\`\``, 's').exec(
    readFileSync(join(root, page), 'utf8'),
  )
  if (!code?.[1]) throw new Error(`${page} has no code block after <!-- ${name} -->.`)
  return code[1]
}
