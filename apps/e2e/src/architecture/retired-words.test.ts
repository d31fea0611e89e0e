import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { retiredIn, wordsOf } from './retired-words.ts'
import { sources } from './sources.ts'

/** The names that a source exports. */
function exportsOf(text: string): string[] {
  if (!text.includes('export')) return []
  const { statements } = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest)
  return statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement))
      return statement.exportClause && ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : []
    if (!ts.canHaveModifiers(statement)) return []
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
    const { name } = statement as ts.FunctionDeclaration
    return name ? [name.text] : []
  })
}

const named = sources.flatMap(({ path, text }) => {
  const own = path.replace(/^(packages|apps)\//, '').replace(/\.tsx?$/, '')
  const inPath = retiredIn(own.split('/').slice(2).join('/'))
  const inExports = exportsOf(text).flatMap(name => {
    const found = retiredIn(name)
    return found ? [`${path}: ${name} (${found})`] : []
  })
  return [...(inPath ? [`${path} (${inPath})`] : []), ...inExports]
})

describe('the words of the glossary', () => {
  it('are those of file names and exported names', () => {
    expect(named.join('\n')).toBe('')
  })

  it('are looked for in names of every style', () => {
    expect(['express-door', 'openDoor', 'DOOR_NAME', 'HTTPDoor'].map(name => wordsOf(name).includes('door'))).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(retiredIn('openDoor')).toBe('door → adapter')
    expect(retiredIn('FaultBook')).toBe('FaultBook is retired')
    expect(retiredIn('outdoor')).toBeUndefined()
  })
})
