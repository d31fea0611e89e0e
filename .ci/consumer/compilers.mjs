// The packages under every compiler and module resolution that the SDKs support, by the strictest options, their own
// declarations included (`skipLibCheck: false`).
import { join } from 'node:path'
import { execute } from '../run-checks.mjs'
import { readJson, writeJson } from './project.mjs'

/** The versions that the SDKs support, each by its folder in `node_modules`. */
const compilers = [
  { version: '5.9', compiler: 'typescript-5.9' },
  { version: '6.0', compiler: 'typescript' },
  { version: '7.0', compiler: 'typescript-7' },
]
const resolutions = {
  nodenext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
}
const strict = {
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  // What users export in turn must be nameable with the packages that they have.
  declaration: true,
  noEmit: true,
  paths: { vitest: ['./vitest.d.ts'] },
}
const programs = ['entries.ts', 'smoke.ts', 'page.ts', 'exported.ts', 'faults.ts', 'faults-page.ts', 'faults-worker.ts']
/** Where the SDKs are used: what is global there. */
const surroundings = {
  'in a page': { lib: ['ES2022', 'DOM'], types: [] },
  'on a server': { lib: ['ES2022'], types: ['node'] },
}

/** A check of each compiler and resolution. */
export function compilerChecks({ root, everything, sdkProject }) {
  return compilers.flatMap(({ version, compiler }) =>
    Object.entries(resolutions).map(([resolution, options]) => ({
      name: `TypeScript ${version} under ${resolution}`,
      async run() {
        const tsc = join(root, 'node_modules', compiler)
        const installed = (await readJson(join(tsc, 'package.json'))).version
        if (!installed.startsWith(version)) throw new Error(`${compiler} is ${installed}: no ${version} is installed.`)
        const compile = async (folder, as, compilerOptions, files) => {
          const config = join(folder, `tsconfig.${version}.${resolution}.${as.replaceAll(' ', '-')}.json`)
          await writeJson(config, { compilerOptions: { ...strict, ...options, ...compilerOptions }, files })
          await execute(process.execPath, [join(tsc, 'bin', 'tsc'), '-p', config], { cwd: folder })
        }
        const [{ folder, typeTests, wrongUses }, all] = await Promise.all([sdkProject(), everything()])
        for (const [where, globals] of Object.entries(surroundings)) {
          await compile(folder, where, globals, [...programs, ...typeTests])
        }
        const withNode = { lib: ['ES2024', 'DOM'], types: ['node'] }
        await compile(all.folder, 'every entry', withNode, ['entries.ts', ...all.typeTests])
        if (resolution === 'nodenext') {
          // A CommonJS file requires what is ESM only: Node does so since 22.12.
          await compile(folder, 'from CommonJS', { ...withNode, verbatimModuleSyntax: false }, ['commonjs.cts'])
        }
        return `${installed}; every entry, the SDKs in a page and on a server, ${wrongUses + all.wrongUses} wrong uses refused`
      },
    })),
  )
}
