// Every declaration that users of the SDKs compile, followed from file to file: none may need a package that is not
// ours. A type of zod or ky in a signature would tie users to a version of what is an inner matter. And none may refer to
// a section of the specification, which users cannot open.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { reject } from '../run-checks.mjs'
import { entriesOf, sdks } from './project.mjs'

const ours = '@lead-distribution/'

/** Rejects with the chain of imports to each foreign type; otherwise resolves to how many files were read. */
export async function checkDeclarations(folder, names = sdks) {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }
  const resolve = (specifier, from) =>
    ts.resolveModuleName(specifier, from, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext).resolvedModule
      ?.resolvedFileName
  const start = join(folder, 'entry.mts')
  const entries = (await Promise.all(names.map(name => entriesOf(folder, name)))).flat()
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
