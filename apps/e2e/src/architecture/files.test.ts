import { rejectionReasons } from '@lead-distribution/contract'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { isGenerated, isTest, sources } from './sources.ts'

const written = sources.filter(({ path }) => !isGenerated(path))
const pathsOf = (files: readonly { path: string }[]) => files.map(({ path }) => path)

describe('files', () => {
  it('are there', () => {
    expect(written.length).toBeGreaterThan(50)
  })
})

describe('the environment', () => {
  const mayRead =
    /^apps\/sandbox\/src\/|^apps\/example-[^/]+\/src\/server\.ts$|^packages\/(sdk-core\/src\/runtime|certification\/src\/run-command)\.ts$|^apps\/console\/src\/data\/snippets\.ts$/

  it('is read by the sandbox, where an example or its command starts, in one file of the SDKs, and in code to copy; nowhere else', () => {
    const readers = written.filter(
      ({ path, text }) => !isTest(path) && /\bprocess\??\.env\b/.test(withoutComments(text)),
    )
    expect(pathsOf(readers).filter(path => !mayRead.test(path))).toEqual([])
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '')
}

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

describe('exports', () => {
  it('have a doc comment where a user sees them', () => {
    // The other packages are ours alone: a name that says it all needs no sentence.
    const shown = /^packages\/(contract|sdk-core|publisher-sdk|advertiser-sdk|msw|control-client)\//
    const documented = written.filter(({ path }) => shown.test(path) && !isTest(path))
    expect(documented.flatMap(({ path, text }) => undocumented(text).map(name => `${path}: ${name}`))).toEqual([])
  })
})

const folder = 'packages/engine/src/rules/'
const fileOf = (reason: string) => `${folder}${reason.replaceAll('_', '-')}.ts`
const carriesTag = (text: string, reason: string) => new RegExp(`@spec 2\\.12/${reason}(?![\\w-])`).test(text)

describe('one rule, one file, named after its reason on the wire', () => {
  it.each(rejectionReasons)('%s', reason => {
    const home = sources.filter(({ path, text }) => path.startsWith('packages/') && carriesTag(text, reason))
    expect(home.map(({ path }) => path)).toEqual([fileOf(reason)])
  })

  it('leaves no other file among the rules', () => {
    const expected = [
      ...rejectionReasons.map(fileOf),
      ...['index.ts', 'judges.generated.ts', 'rule.ts'].map(name => `${folder}${name}`),
    ]
    const files = sources.map(({ path }) => path).filter(path => path.startsWith(folder) && !isTest(path))
    expect(files).toEqual(expected.sort())
  })
})
