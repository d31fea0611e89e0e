// The packages under every compiler and module resolution that the SDKs support, by the strictest options, their own
// declarations included (`skipLibCheck: false`).
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { execute, reject } from '../run-checks.mjs'
import { entriesOf, readJson, sdks, writeJson } from './project.mjs'

/** Each resolution, and where the SDKs are used by it: a server runs the files, a page is bundled. Globals differ there. */
const resolutions = {
  nodenext: {
    options: { module: 'NodeNext', moduleResolution: 'NodeNext' },
    where: 'on a server',
    globals: { lib: ['ES2022'], types: ['node'] },
  },
  bundler: {
    options: { module: 'ESNext', moduleResolution: 'Bundler' },
    where: 'in a page',
    globals: { lib: ['ES2022', 'DOM'], types: [] },
  },
}
/**
 * The oldest and the newest version that the SDKs support, each by its folder in `node_modules`: what works in both works in
 * between.
 */
const compilers = [
  { version: '5.9', compiler: 'typescript-5.9' },
  { version: '7.0', compiler: 'typescript-7' },
]
const strict = {
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  // The declarations of the compiler itself are none of ours, and take a second and a half of each compilation.
  skipDefaultLibCheck: true,
  // What users export in turn must be nameable with the packages that they have.
  declaration: true,
  noEmit: true,
  paths: { vitest: ['./vitest.d.ts'] },
}
const programs = ['entries.ts', 'smoke.ts', 'page.ts', 'exported.ts', 'faults.ts', 'faults-worker.ts']
/** A check of each compiler and resolution. */
export function compilerChecks({ root, everything, sdkProject }) {
  return compilers.flatMap(({ version, compiler }) =>
    Object.keys(resolutions).map(resolution => ({
      name: `TypeScript ${version} under ${resolution}`,
      async run() {
        const { options, where, globals } = resolutions[resolution]
        const tsc = join(root, 'node_modules', compiler)
        const installed = (await readJson(join(tsc, 'package.json'))).version
        if (!installed.startsWith(version)) throw new Error(`${compiler} is ${installed}: no ${version} is installed.`)
        const compile = async (folder, as, compilerOptions, files) => {
          const config = join(folder, `tsconfig.${version}.${resolution}.${as.replaceAll(' ', '-')}.json`)
          await writeJson(config, { compilerOptions: { ...strict, ...options, ...compilerOptions }, files })
          await execute(process.execPath, [join(tsc, 'bin', 'tsc'), '-p', config], { cwd: folder })
        }
        const [{ folder, typeTests, wrongUses }, all] = await Promise.all([sdkProject(), everything()])
        await compile(folder, where, globals, [...programs, ...typeTests])
        const withNode = { lib: ['ES2024', 'DOM'], types: ['node'] }
        await compile(all.folder, 'every entry', withNode, ['entries.ts', ...all.typeTests])
        if (resolution === 'nodenext') {
          // A CommonJS file requires what is ESM only: Node does so since 22.12.
          await compile(folder, 'from CommonJS', { ...withNode, verbatimModuleSyntax: false }, ['commonjs.cts'])
        }
        return `${installed}; every entry, the SDKs ${where}, ${wrongUses + all.wrongUses} wrong uses refused`
      },
    })),
  )
}

const ours = '@lead-distribution/'

/**
 * Follows every declaration that users of the SDKs compile from file to file. Rejects where one needs a package that is not
 * ours (a type of zod or ky would tie users to a version of what is an inner matter), with the chain of imports to it, and
 * where one refers to a section of the specification, which users cannot open.
 */
export async function checkDeclarations(folder) {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }
  const resolve = (specifier, from) =>
    ts.resolveModuleName(specifier, from, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext).resolvedModule
      ?.resolvedFileName
  const start = join(folder, 'entry.mts')
  const entries = (await Promise.all(sdks.map(name => entriesOf(folder, name)))).flat()
  // Breadth first, so that the chain that is shown is a shortest one.
  const queue = entries.map(entry => ({ specifier: entry, from: start, chain: [entry] }))
  const seen = new Set()
  const problems = []
  for (const { specifier, from, chain } of queue) {
    const file = resolve(specifier, from)
    if (!specifier.startsWith('.') && !specifier.startsWith(ours)) {
      problems.push(`needs ${specifier}: ${chain.join(' → ')}`)
    } else if (!file?.endsWith('.d.ts')) {
      problems.push(`has no declaration: ${chain.join(' → ')}`)
    } else if (!seen.has(file)) {
      seen.add(file)
      const text = await readFile(file, 'utf8')
      const section = /\bSpec \d.*/.exec(text)?.[0]
      if (section)
        problems.push(`${shown(file)} refers to "${section}": write it behind the comment, as \`// Spec 4.1\``)
      const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text, true, true)
      for (const { fileName } of [...importedFiles, ...typeReferenceDirectives]) {
        queue.push({ specifier: fileName, from: file, chain: [...chain.slice(0, -1), shown(file), fileName] })
      }
    }
  }
  reject(problems)
  return `${seen.size} files behind ${entries.length} entries`
}

/** A file by its package: `@lead-distribution/contract/dist/index.d.ts`. */
function shown(file) {
  return file.replace(/.*node_modules\//, '')
}
