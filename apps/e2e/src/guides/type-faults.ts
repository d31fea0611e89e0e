import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../architecture/sources.ts'

/** As strict as a reader's project may be; and such that Node runs the files unchanged. */
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  // Those of NestJS.
  experimentalDecorators: true,
  noEmit: true,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

/** What the compiler finds wrong with files, each as `file:line: what`. The packages they import are compiled elsewhere. */
export function typeFaults(paths: readonly string[]): string[] {
  const program = ts.createProgram(paths, options)
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
