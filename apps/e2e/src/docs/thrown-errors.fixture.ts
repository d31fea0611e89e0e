import ts from 'typescript'
import { type ErrorClass, FunctionBodies } from './function-bodies.fixture.ts'
import { isOurs, nameOf, SourceProgram } from './source-program.fixture.ts'

/** An error that a function may throw, and the calls that lead to it. */
export interface ThrownError extends ErrorClass {
  readonly calls: readonly string[]
}

/**
 * Finds the errors that functions may throw or reject with: their own, and those of what they call in the workspace, at
 * any depth. A call of an interface's method leads to every implementation that is loaded; a function that is passed to a
 * call counts as called. What a library throws is not seen.
 */
export class ThrownErrors {
  readonly source: SourceProgram
  readonly #bodies: FunctionBodies
  readonly #implementations = new Map<ts.Node, Set<ts.Node>>()
  readonly #ignored: ReadonlySet<string>
  /** Every function that was found to throw, with the error, as `function (file): Error`. */
  readonly origins = new Set<string>()

  /** `ignored` are origins whose errors reach no caller. */
  constructor(entries: readonly string[], ignored: readonly string[] = []) {
    this.#ignored = new Set(ignored)
    this.source = new SourceProgram(entries)
    this.#bodies = new FunctionBodies(this.source)
    for (const file of this.source.files) this.#findImplementations(file)
  }

  /** What a call of this function, class or method of an entry may throw. `path` begins with the name of an export. */
  of(entry: string, path: readonly string[]): ThrownError[] {
    const found = new Map<string, ThrownError>()
    const start = this.source.symbolOf(entry, path).declarations?.flatMap(node => this.source.functionsOf(node)) ?? []
    const loaded = this.source.loadedBy(entry)
    const seen = new Set<ts.Node>(start)
    const queue = start.map(node => ({ node, calls: [nameOf(node)] }))
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { throws, calls } = this.#bodies.of(next.node)
      for (const error of throws) {
        const origin = `${next.calls.at(-1)}: ${error.name}`
        this.origins.add(origin)
        if (!this.#ignored.has(origin) && !found.has(error.name)) found.set(error.name, { ...error, calls: next.calls })
      }
      const implementations = [...(this.#implementations.get(next.node) ?? [])]
      for (const node of [...calls, ...implementations.filter(each => loaded.has(each.getSourceFile()))]) {
        if (seen.has(node)) continue
        seen.add(node)
        queue.push({ node, calls: [...next.calls, nameOf(node)] })
      }
    }
    return [...found.values()]
  }

  /** Notes which functions implement the methods of interfaces, and the types of functions. */
  #findImplementations(node: ts.Node): void {
    if (ts.isObjectLiteralExpression(node)) {
      const type = this.source.checker.getContextualType(node)
      for (const property of node.properties) {
        if (!property.name || !type) continue
        const symbol = this.source.checker.getSymbolAtLocation(property.name)
        const value = ts.isPropertyAssignment(property) ? property.initializer : property
        for (const part of type.isUnion() ? type.types : [type])
          for (const declaration of (symbol && part.getProperty(symbol.name)?.declarations) ?? [])
            this.#implements(declaration, this.source.functionsOf(value))
      }
    }
    if (ts.isClassLike(node))
      for (const { types } of node.heritageClauses ?? [])
        for (const base of types)
          for (const member of node.members) {
            const name = member.name && ts.isIdentifier(member.name) ? member.name.text : undefined
            const declared =
              name === undefined ? undefined : this.source.checker.getTypeAtLocation(base).getProperty(name)
            for (const declaration of declared?.declarations ?? [])
              if (declaration !== member) this.#implements(declaration, this.source.functionsOf(member))
          }
    if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && !this.#bodies.isCalledAtOnce(node)) {
      const type = this.source.checker.getContextualType(node)
      for (const part of type?.isUnion() ? type.types : type ? [type] : [])
        for (const declaration of this.source.signaturesOf(part)) this.#implements(declaration, [node])
    }
    ts.forEachChild(node, child => this.#findImplementations(child))
  }

  #implements(declaration: ts.Node, functions: readonly ts.Node[]): void {
    if (!isOurs(declaration.getSourceFile())) return
    const known = this.#implementations.get(declaration) ?? new Set()
    for (const each of functions) if (each !== declaration) known.add(each)
    this.#implementations.set(declaration, known)
  }
}
