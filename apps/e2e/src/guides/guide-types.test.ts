import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../house/root.ts'
import { allGuides } from './all-guides.ts'
import { parseGuide } from './parse-guide.ts'
import { installPackages } from './reader-folder.test.kit.ts'

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'guide-types-'))
  await installPackages(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('compiles every TypeScript file of the guides in a strict project', () => {
  const files = allGuides.flatMap(({ markdown }) => parseGuide(markdown).steps).filter(step => step.kind === 'file')
  for (const { name, code } of files) writeFileSync(join(folder, name), code)
  const paths = files.map(({ name }) => join(folder, name))
  const faults = ts.getPreEmitDiagnostics(ts.createProgram(paths, options))
  expect(files.length).toBeGreaterThan(0)
  expect(
    faults.map(({ file, start, messageText }) => [
      file?.fileName,
      start,
      ts.flattenDiagnosticMessageText(messageText, ' '),
    ]),
  ).toEqual([])
}, 60_000)
