import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../architecture/sources.ts'

/** As strict as a reader's project may be, with syntax that Node runs unchanged. */
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  // The options of NestJS.
  experimentalDecorators: true,
  noEmit: true,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

const host = ts.createCompilerHost(options)
const read = host.getSourceFile
/** The files of this workspace and its libraries, shared by all programs: each is parsed and bound once. */
const shared = new Map<string, ts.SourceFile | undefined>()
host.getSourceFile = (path, ...how) => {
  if (!path.startsWith(root)) return read(path, ...how)
  if (!shared.has(path)) shared.set(path, read(path, ...how))
  return shared.get(path)
}

/** Returns the compiler's errors in files, as `file:line: error`. The packages they import are compiled elsewhere. */
export function typeFaults(paths: readonly string[]): string[] {
  const program = ts.createProgram(paths, options, host)
  const files = paths.map(path => program.getSourceFile(path))
  const faults = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
  return faults.map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${file?.fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
