import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { sources } from './sources.ts'

/** Words of the glossary that the code base has given up, each with what replaces it. */
const retiredWords: Readonly<Record<string, string>> = {
  door: 'adapter',
  doors: 'adapters',
  house: 'architecture',
  reading: 'interpretation',
  readings: 'interpretations',
  told: 'reports',
  tell: 'report',
  tells: 'reports',
  played: 'applied',
  plays: 'applies',
  obey: 'apply a forced outcome',
  orders: 'scenarios, forced outcomes',
  strike: 'match',
  disturb: 'inject',
  chance: 'random',
  panel: 'advertiser network',
  sunk: 'inbox',
  lender: 'advertiser',
  quietly: 'safe listener',
  surface: 'paths',
  mend: 'fix',
  kit: 'fixture',
}

/** Names that are retired as a whole. */
const retiredNames: readonly RegExp[] = [
  /^Wire(Request|Reply)$/,
  /^(CallReply|Answer|Reply)$/,
  /^ControlCalls?$/,
  /^Caller$/,
  /^Order$/,
  /^(DueWork|runDue)$/,
  /^(Gate|Signal)$/,
  /^TenantWorld$/,
  /^(FaultBook|LeadFile)$/,
  /^(putBack|onFault|Look|within|echo|Echo)$/,
]

/** The words of a name in kebab-case, camelCase, PascalCase or snake_case, in small letters. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
}

/** What is retired in a name, as `told → reports`; undefined where nothing is. */
export function retiredIn(name: string): string | undefined {
  const whole = retiredNames.find(each => each.test(name))
  if (whole) return `${name} is retired`
  const word = wordsOf(name).find(each => each in retiredWords)
  return word && `${word} → ${retiredWords[word]}`
}

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
