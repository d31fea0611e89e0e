import ts from 'typescript'
import { expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { isGenerated, isTest, sources } from './sources.ts'

const written = sources.filter(
  ({ path }) => /^(packages\/|apps\/sandbox\/)/.test(path) && !isTest(path) && !isGenerated(path),
)

/** The names of a source's exports that carry no JSDoc. */
function undocumented(text: string): string[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  return file.statements.flatMap(statement => {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!exported || ts.getJSDocCommentsAndTags(statement).length > 0) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(each => each.name.getText())
    const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || isType(statement)
    // The first signature of an overloaded function documents all.
    if (!named || text.slice(0, statement.pos).includes(`function ${statement.name?.text}(`)) return []
    return [statement.name?.text ?? '']
  })
}

function isType(statement: ts.Statement): statement is ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
}

it('finds exports that say nothing', () =>
  eachRow(
    [
      ['export const a = 1', ['a']],
      ['export function f() {}', ['f']],
      ['export interface I { a: 1 }\nexport type T = 1\nexport class C {}', ['I', 'T', 'C']],
      ['/** A. */\nexport const a = 1\n/** F. */\nexport function f(): void\nexport function f(x?: 1) {}', []],
      ["export * from './a.ts'\nconst hidden = 1", []],
    ],
    (text, names) => {
      expect(undocumented(text)).toEqual(names)
    },
  ))

it('says of every export what it is', () => {
  expect(written.flatMap(({ path, text }) => undocumented(text).map(name => `${path}: ${name}`))).toEqual([])
})
