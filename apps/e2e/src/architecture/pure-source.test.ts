import ts from 'typescript'
import { expect, it } from 'vitest'
import { isTest, sources } from './sources.ts'

/** Something that a pure source must not hold, and where. */
interface Finding {
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
 * The calls that make a source depend on the system or on its own past: the clock, randomness, timers, and state that
 * outlives a call. Time, ids and random numbers come in through ports.
 */
function impuritiesOf(text: string): Finding[] {
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

/** Finds the names of HTTP and of the sandbox in a source of the engine: the layers above map its results to responses. */
function foreignNamesOf(text: string): Finding[] {
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

const pure = sources.filter(({ path }) => /^packages\/(engine|simulator)\/src\//.test(path) && !isTest(path))

it.each(['engine', 'simulator'])('has sources of the %s to look at', name => {
  expect(pure.filter(({ path }) => path.startsWith(`packages/${name}/`)).length).toBeGreaterThan(5)
})

it('takes time, ids and random numbers through ports, and holds no state', () => {
  const found = pure.flatMap(({ path, text }) => impuritiesOf(text).map(({ line, what }) => `${path}:${line}: ${what}`))
  expect(found).toEqual([])
})

it('keeps the engine free of HTTP and of the sandbox', () => {
  const engine = pure.filter(({ path }) => path.startsWith('packages/engine/'))
  expect(engine.flatMap(({ path, text }) => foreignNamesOf(text).map(found => ({ path, ...found })))).toEqual([])
})
