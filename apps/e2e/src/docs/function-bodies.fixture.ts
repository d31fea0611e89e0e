import ts from 'typescript'
import { isOurs, type SourceProgram } from './source-program.fixture.ts'

/** An error that a function may throw. */
export interface ErrorClass {
  readonly name: string
  /** It is thrown as a class that has no instances of its own: in fact it is one of those below. */
  readonly isAbstract: boolean
  readonly below: readonly string[]
}

/** What one function does itself: the errors of its `throw` statements, and what it calls. */
interface Body {
  readonly throws: ErrorClass[]
  readonly calls: Set<ts.Node>
}

/** Such a call keeps a function for later: what that throws reaches no caller. */
const keepsForLater = /^(on|once|addEventListener|setTimeout|setInterval|setImmediate|queueMicrotask)$/

/** Reads the bodies of functions. What a `try` catches and does not throw again does not count. */
export class FunctionBodies {
  readonly #source: SourceProgram
  readonly #checker: ts.TypeChecker
  readonly #subclasses = new Map<ts.Node, readonly string[]>()
  readonly #bodies = new Map<ts.Node, Body>()

  constructor(source: SourceProgram) {
    this.#source = source
    this.#checker = source.checker
    for (const file of source.files) this.#findSubclasses(file)
  }

  #findSubclasses(node: ts.Node): void {
    if (ts.isClassDeclaration(node) && node.name)
      for (const base of this.#checker.getTypeAtLocation(node).getBaseTypes() ?? [])
        for (const declaration of base.symbol?.declarations ?? [])
          this.#subclasses.set(declaration, [...(this.#subclasses.get(declaration) ?? []), node.name.text])
    ts.forEachChild(node, child => this.#findSubclasses(child))
  }

  /** What a function does itself. */
  of(node: ts.Node): Body {
    const known = this.#bodies.get(node)
    if (known) return known
    const body: Body = { throws: [], calls: new Set() }
    this.#bodies.set(node, body)
    if (ts.isFunctionLike(node) && 'body' in node && node.body) this.#read(node.body, body)
    return body
  }

  #read(node: ts.Node, body: Body): void {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return
    if (ts.isVoidExpression(node)) return
    if (ts.isTryStatement(node) && node.catchClause) {
      if (this.#throwsAgain(node.catchClause)) this.#read(node.tryBlock, body)
      this.#read(node.catchClause, body)
      if (node.finallyBlock) this.#read(node.finallyBlock, body)
      return
    }
    if (ts.isThrowStatement(node)) this.#throw(node.expression, body)
    if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isTaggedTemplateExpression(node)) {
      if (!this.#readCall(node, body)) return
    }
    if (ts.isPropertyAccessExpression(node)) {
      const getters = this.#checker.getSymbolAtLocation(node)?.declarations?.filter(ts.isGetAccessor) ?? []
      for (const getter of getters) if (isOurs(getter.getSourceFile())) body.calls.add(getter)
    }
    ts.forEachChild(node, child => this.#read(child, body))
  }

  /** Whether a function is passed to a call that calls it: what it throws reaches the caller of that call. */
  isCalledAtOnce(node: ts.Expression): boolean {
    const call = node.parent
    if (!ts.isCallExpression(call) && !ts.isNewExpression(call)) return false
    const declaration = this.#checker.getResolvedSignature(call)?.declaration
    return !declaration || callsParameter(declaration, call.arguments?.indexOf(node) ?? 0)
  }

  /** Notes what a call may throw. False if its parts do not matter. */
  #readCall(node: ts.CallExpression | ts.NewExpression | ts.TaggedTemplateExpression, body: Body): boolean {
    const declaration = this.#checker.getResolvedSignature(node)?.declaration
    if (declaration && isOurs(declaration.getSourceFile())) body.calls.add(declaration)
    const called = ts.isCallExpression(node) ? node.expression : undefined
    const name = called && (ts.isPropertyAccessExpression(called) ? called.name.text : called.getText())
    const given = ts.isTaggedTemplateExpression(node) ? [] : (node.arguments ?? [])
    if (name === 'reject' && given[0]) this.#throw(given[0], body)
    if (name && keepsForLater.test(name)) return false
    for (const [index, argument] of given.entries()) {
      if (declaration && !callsParameter(declaration, index)) continue
      if (ts.isArrowFunction(argument) || ts.isFunctionExpression(argument)) this.#read(argument.body, body)
      else if (ts.isIdentifier(argument) || ts.isPropertyAccessExpression(argument))
        for (const each of this.#source.signaturesOf(this.#checker.getTypeAtLocation(argument))) body.calls.add(each)
    }
    const catches = (name === 'catch' && given[0]) || (name === 'then' && given[1])
    return name !== 'allSettled' && !(catches && !this.#throwsAgain(catches))
  }

  #throw(expression: ts.Expression, body: Body): void {
    const type = this.#checker.getTypeAtLocation(expression)
    const types = isUnknown(type) && ts.isCallExpression(expression) ? this.#madeBy(expression) : [type]
    for (const each of types.flatMap(each => (each.isUnion() ? each.types : [each])))
      if (!isUnknown(each)) body.throws.push(this.#errorOf(each))
  }

  /** The classes of errors that a function makes which makes an error of another. */
  #madeBy(call: ts.CallExpression): ts.Type[] {
    const made: ts.Type[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText()))
        made.push(this.#checker.getTypeAtLocation(node))
      ts.forEachChild(node, visit)
    }
    const declaration = this.#checker.getResolvedSignature(call)?.declaration
    if (declaration && isOurs(declaration.getSourceFile())) visit(declaration)
    return made
  }

  #errorOf(type: ts.Type): ErrorClass {
    const declaration = type.symbol?.declarations?.find(ts.isClassDeclaration)
    const isAbstract = declaration?.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) ?? false
    return {
      name: this.#source.publicName(type),
      isAbstract,
      below: [...(declaration ? (this.#subclasses.get(declaration) ?? []) : [])],
    }
  }

  /** Whether a handler of errors throws the one that it got. */
  #throwsAgain(node: ts.Node): boolean {
    if (ts.isThrowStatement(node)) {
      if (ts.isCallExpression(node.expression)) return false
      const type = this.#checker.getTypeAtLocation(node.expression)
      return (type.isUnion() ? type.types : [type]).some(isUnknown)
    }
    return ts.forEachChild(node, child => this.#throwsAgain(child)) ?? false
  }
}

const isUnknown = (type: ts.Type): boolean => (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0
const isArgument = (node: ts.Node): boolean => ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent)

/** Whether a function of ours calls what it gets at this place, and not only what it returns does. Others count as if. */
function callsParameter(declaration: ts.SignatureDeclaration | ts.JSDocSignature, index: number): boolean {
  if (!('body' in declaration) || !declaration.body || !isOurs(declaration.getSourceFile())) return true
  const parameter = declaration.parameters[index] ?? declaration.parameters.at(-1)
  if (!parameter || !('name' in parameter) || !ts.isIdentifier(parameter.name as ts.Node)) return false
  const { text } = parameter.name as ts.Identifier
  const uses = (node: ts.Node): boolean => {
    if (ts.isFunctionLike(node) && !isArgument(node)) return false
    if (ts.isCallExpression(node)) {
      const passed = [node.expression, ...node.arguments]
      if (passed.some(each => ts.isIdentifier(each) && each.text === text)) return true
    }
    return ts.forEachChild(node, uses) ?? false
  }
  return uses(declaration.body as ts.Node)
}
