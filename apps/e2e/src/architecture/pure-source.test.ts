import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { isTest, sources } from './sources.ts'

/** Something that a pure source must not hold, and where. */
export interface Finding {
  readonly line: number
  readonly what: string
}

const bannedMembers: Record<string, readonly string[]> = {
  Date: ['now'],
  Math: ['random'],
  crypto: ['randomUUID', 'getRandomValues'],
  performance: ['now'],
}
const bannedCalls = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']
const mutableCollections = ['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']

/**
 * What makes a source depend on the system or on its own past: the clock, randomness, timers, and state that
 * outlives a call. Time, ids and random numbers come in through ports.
 */
export function impuritiesOf(text: string): Finding[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const findings: Finding[] = []
  const report = (node: ts.Node, what: string) =>
    findings.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, what })

  const visit = (node: ts.Node) => {
    const impure = impureExpression(node)
    if (impure) report(node, impure)
    ts.forEachChild(node, visit)
  }
  visit(file)
  for (const statement of file.statements) for (const { node, what } of moduleState(statement)) report(node, what)
  return findings.sort((a, b) => a.line - b.line)
}

function impureExpression(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const owner = lastName(node.expression)
    if (owner && bannedMembers[owner]?.includes(node.name.text)) return `${owner}.${node.name.text}`
  }
  if (ts.isNewExpression(node) && lastName(node.expression) === 'Date' && !node.arguments?.length) return 'new Date()'
  if (ts.isCallExpression(node)) {
    const called = lastName(node.expression)
    const global = ts.isIdentifier(node.expression) || node.expression.getText().startsWith('globalThis.')
    if (called === 'Date' && global) return 'Date()'
    if (called && global && bannedCalls.includes(called)) return called
  }
  return undefined
}

/** The name itself, or the last one of `globalThis.name`. */
function lastName(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text
  if (ts.isPropertyAccessExpression(expression) && expression.expression.getText() === 'globalThis')
    return expression.name.text
  return undefined
}

function moduleState(statement: ts.Statement): { node: ts.Node; what: string }[] {
  if (!ts.isVariableStatement(statement)) return []
  const { declarationList } = statement
  if (!(declarationList.flags & ts.NodeFlags.Const))
    return [{ node: statement, what: 'a variable of the module that can be assigned' }]
  return declarationList.declarations.flatMap(declaration => {
    const what = declaration.initializer && mutableValue(declaration.initializer, declaration.type)
    return what ? [{ node: declaration, what }] : []
  })
}

function mutableValue(value: ts.Expression, type: ts.TypeNode | undefined): string | undefined {
  if (type && /^(readonly |Readonly)/.test(type.getText())) return undefined
  if (ts.isNewExpression(value)) {
    const name = lastName(value.expression)
    if (name && mutableCollections.includes(name)) return `a ${name} of the module that is not typed as read-only`
  }
  const empty =
    (ts.isArrayLiteralExpression(value) && value.elements.length === 0) ||
    (ts.isObjectLiteralExpression(value) && value.properties.length === 0)
  return empty ? 'an empty collection of the module that is not typed as read-only' : undefined
}

/** Names of HTTP and of the wire's error bodies. */
const httpNames =
  /^(wireError|WireError|validationError|errorStatus|ErrorResponse|LeadResponse|URLSearchParams|Headers|Request|Response|fetch|headers?|allow)$/
/** Names of what only a sandbox has. */
const sandboxNames = /sandbox|simulat|scenario|(?<!de)fault|reorder|postpone|^copies$|^held$/i

/** What of HTTP or of the sandbox a source of the engine names: the layers above map its results to responses. */
export function foreignNamesOf(text: string): Finding[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const findings: Finding[] = []
  const report = (node: ts.Node, what: string) =>
    findings.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, what })
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) && httpNames.test(node.text)) report(node, `${node.text}, of HTTP`)
    if (ts.isIdentifier(node) && sandboxNames.test(node.text)) report(node, `${node.text}, of the sandbox`)
    if (ts.isNumericLiteral(node) && /^[2-5]\d\d$/.test(node.text)) report(node, `${node.text}, a status of HTTP`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

describe('impuritiesOf', () => {
  it('finds each of them', () =>
    eachRow(
      [
        ['const f = () => Date.now()', 'Date.now'],
        ['const f = () => globalThis.Date.now()', 'Date.now'],
        ['const now = Date.now', 'Date.now'],
        ['const f = () => new Date()', 'new Date()'],
        ['const f = () => new Date', 'new Date()'],
        ['const f = () => Date()', 'Date()'],
        ['const f = () => Math.random()', 'Math.random'],
        ['const f = () => crypto.randomUUID()', 'crypto.randomUUID'],
        ['const f = () => globalThis.crypto.getRandomValues(new Uint8Array(4))', 'crypto.getRandomValues'],
        ['const f = () => performance.now()', 'performance.now'],
        ['setTimeout(f, 5)', 'setTimeout'],
        ['globalThis.setInterval(f, 5)', 'setInterval'],
        ['let counter = 0', 'a variable of the module that can be assigned'],
        ['export var counter = 0', 'a variable of the module that can be assigned'],
        ['const seen = new Map<string, number>()', 'a Map of the module that is not typed as read-only'],
        ["const seen: Set<string> = new Set(['a'])", 'a Set of the module that is not typed as read-only'],
        ['const held = new WeakMap()', 'a WeakMap of the module that is not typed as read-only'],
        ['const list: string[] = []', 'an empty collection of the module that is not typed as read-only'],
        [
          'const byName: Record<string, string> = {}',
          'an empty collection of the module that is not typed as read-only',
        ],
      ],
      (text, what) => {
        expect(impuritiesOf(text)).toEqual([{ line: 1, what }])
      },
    ))

  it('lets pass what only looks like one', () =>
    eachRow(
      [
        ['const f = (now: number) => new Date(now)'],
        ['const f = () => { let sum = 0; sum += 1; return new Map() }'],
        ["const words: ReadonlySet<string> = new Set(['a'])"],
        ['const none: readonly string[] = []'],
        ['const f = (clock: Clock) => clock.setTimeout(1)'],
        ['const date = { now: 1 }; const x = date.now'],
        ["const words = ['a', 'b'] as const"],
        ['const key = () => crypto.subtle'],
      ],
      text => {
        expect(impuritiesOf(text)).toEqual([])
      },
    ))

  it('reports the line', () => {
    expect(impuritiesOf('const a = 1\n\nexport const f = () => Math.random()')).toEqual([
      { line: 3, what: 'Math.random' },
    ])
  })
})

const pure = sources.filter(({ path }) => /^packages\/(engine|simulator)\/src\//.test(path) && !isTest(path))

it.each(['engine', 'simulator'])('has sources of the %s to look at', name => {
  expect(pure.filter(({ path }) => path.startsWith(`packages/${name}/`)).length).toBeGreaterThan(5)
})

it('takes time, ids and random numbers through ports, and holds no state', () => {
  const found = pure.flatMap(({ path, text }) => impuritiesOf(text).map(({ line, what }) => `${path}:${line}: ${what}`))
  expect(found).toEqual([])
})

describe('foreignNamesOf', () => {
  it('finds a name of HTTP or of the sandbox', () =>
    eachRow(
      [
        ["import { wireError } from '@lead-distribution/contract'", 'wireError, of HTTP'],
        ['const f = (query: URLSearchParams) => query', 'URLSearchParams, of HTTP'],
        ['const reply = { headers: {} }', 'headers, of HTTP'],
        ['const ok = (n: number) => n === 200', '200, a status of HTTP'],
        ['interface A { fault_id: string }', 'fault_id, of the sandbox'],
        ['const a = { held: true }', 'held, of the sandbox'],
        ['function postponeCallback() {}', 'postponeCallback, of the sandbox'],
      ],
      (text, what) => {
        expect(foreignNamesOf(text)).toContainEqual({ line: 1, what })
      },
    ))

  it('accepts what only looks like one', () =>
    eachRow(
      [
        ["const a = z.enum(['http_422', 'rejected_200'])"],
        ['const defaultMs = 1000'],
        ['const c: ErrorCode = "unauthorized"'],
      ],
      text => {
        expect(foreignNamesOf(text)).toEqual([])
      },
    ))
})

it('keeps the engine free of HTTP and of the sandbox', () => {
  const engine = pure.filter(({ path }) => path.startsWith('packages/engine/'))
  expect(engine.flatMap(({ path, text }) => foreignNamesOf(text).map(found => ({ path, ...found })))).toEqual([])
})
