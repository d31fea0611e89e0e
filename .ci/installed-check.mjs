// What a user of the packages sees: all tarballs installed by npm into a project of their own, which is checked by
// the strictest compiler options under both module resolutions, and which imports every entry.
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const strict = {
  target: 'ES2023',
  lib: ['ES2024', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
}
const resolutions = {
  nodenext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
}

/** The problems of the tarballs as they are installed; none where all is well. */
export async function installedProblems({ folder, tarballs, tsc }) {
  await mkdir(folder)
  const dependencies = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
  const devDependencies = { '@types/node': '^22', '@types/express': '^5' }
  await write(join(folder, 'package.json'), { private: true, type: 'module', dependencies, devDependencies })
  const install = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  await exec('npm', install, { cwd: folder, shell: process.platform === 'win32' })
  const entries = (await Promise.all(Object.keys(tarballs).map(name => entriesOf(folder, name)))).flat()
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const uses = entries.map((_entry, index) => `entry${index}`)
  await writeFile(join(folder, 'user.ts'), `${imports.join('\n')}\nexport const entries = [${uses.join(', ')}]\n`)
  const loads = entries.map(entry => `await import('${entry}')`)
  await writeFile(join(folder, 'user.mjs'), `${loads.join('\n')}\nprocess.exit(0)\n`)
  const checks = Object.entries(resolutions).map(async ([name, options]) => {
    const config = join(folder, `tsconfig.${name}.json`)
    await write(config, { compilerOptions: { ...strict, ...options }, files: ['user.ts'] })
    return problemsOf(`types under ${name}`, exec(tsc, ['-p', config], { cwd: folder }))
  })
  const run = problemsOf('import of every entry', exec(process.execPath, [join(folder, 'user.mjs')], { cwd: folder }))
  return (await Promise.all([...checks, run])).flat()
}

/** What can be imported of a package: its name, and its name with each path of its exports. */
async function entriesOf(folder, name) {
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  return Object.keys(manifest.exports ?? {})
    .filter(path => !path.endsWith('.json'))
    .map(path => name + path.slice(1))
}

function problemsOf(what, running) {
  return running.then(
    () => [],
    error => [`${what}: ${error.stdout || ''}${error.stderr || error.message}`],
  )
}

function write(path, value) {
  return writeFile(path, JSON.stringify(value, null, 2))
}
