import { dirname, join } from 'node:path'
import ts from 'typescript'
import { root } from '../architecture/sources.ts'

const configFile = join(root, 'tsconfig.base.json')
const { options } = ts.parseJsonConfigFileContent(
  { ...ts.readConfigFile(configFile, ts.sys.readFile).config, files: [] },
  ts.sys,
  dirname(configFile),
)

/** The source of what users import, as the compiler sees it. */
export class SourceProgram {
  readonly #program: ts.Program
  readonly checker: ts.TypeChecker
  /** The source files of the workspace. */
  readonly files: readonly ts.SourceFile[]
  readonly #exported: ReadonlySet<ts.Symbol>
  readonly #loaded = new Map<string, ReadonlySet<ts.SourceFile>>()

  /** `entries` are the files that users import. */
  constructor(entries: readonly string[]) {
    this.#program = ts.createProgram(entries, {
      ...options,
      noEmit: true,
      composite: false,
      allowImportingTsExtensions: true,
    })
    this.checker = this.#program.getTypeChecker()
    this.files = this.#program.getSourceFiles().filter(isOurs)
    this.#exported = new Set(entries.flatMap(entry => [...this.#exportsOf(entry).values()]))
  }

  /** Whether a member has its type from a value, such as the shape of a reply: then it can have no comment. */
  isInferred(entry: string, path: readonly string[]): boolean {
    const isAssigned = (node: ts.Node) => ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)
    return this.symbolOf(entry, path).declarations?.every(isAssigned) ?? true
  }

  /** What a path names that begins with an export of an entry and goes on with members. */
  symbolOf(entry: string, [name = '', ...members]: readonly string[]): ts.Symbol {
    let symbol = this.#exportsOf(entry).get(name)
    for (const member of members) symbol = symbol && this.#memberOf(symbol, member)
    if (!symbol) throw new Error(`${entry} has no ${[name, ...members].join('.')}.`)
    return symbol
  }

  #exportsOf(entry: string): ReadonlyMap<string, ts.Symbol> {
    const file = this.#program.getSourceFile(entry)
    const module = file && this.checker.getSymbolAtLocation(file)
    const found = module ? this.checker.getExportsOfModule(module) : []
    const target = (symbol: ts.Symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol
    return new Map(found.map(symbol => [symbol.name, target(symbol)]))
  }

  #memberOf(symbol: ts.Symbol, name: string): ts.Symbol | undefined {
    if (name === 'constructor') return symbol
    const isType = symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias)
    const type = isType ? this.checker.getDeclaredTypeOfSymbol(symbol) : this.checker.getTypeOfSymbol(symbol)
    const plain = this.checker.getNonNullableType(type)
    return (
      plain.getProperty(name) ??
      plain.getProperties().find(each => each.name.startsWith(`__@${name.replace(/^\[(Symbol\.)?|\]$/g, '')}@`)) ??
      symbol.exports?.get(ts.escapeLeadingUnderscores(name))
    )
  }

  /** The files that are loaded with an entry. */
  loadedBy(entry: string): ReadonlySet<ts.SourceFile> {
    const known = this.#loaded.get(entry)
    if (known) return known
    const loaded = new Set<ts.SourceFile>()
    const visit = (file: ts.SourceFile | undefined) => {
      if (!file || loaded.has(file) || !isOurs(file)) return
      loaded.add(file)
      for (const imported of this.#importsOf(file)) visit(imported)
    }
    visit(this.#program.getSourceFile(entry))
    this.#loaded.set(entry, loaded)
    return loaded
  }

  #importsOf(file: ts.SourceFile): ts.SourceFile[] {
    const found: ts.Expression[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) found.push(node.moduleSpecifier)
      if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.moduleSpecifier) found.push(node.moduleSpecifier)
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
        found.push(...node.arguments)
      ts.forEachChild(node, visit)
    }
    visit(file)
    return found.flatMap(each => this.checker.getSymbolAtLocation(each)?.declarations?.filter(ts.isSourceFile) ?? [])
  }

  /** The functions behind a declaration. */
  functionsOf(node: ts.Node): ts.Node[] {
    if (ts.isClassDeclaration(node)) return node.members.filter(ts.isConstructorDeclaration)
    if (ts.isFunctionLike(node)) return [node]
    if (
      ts.isVariableDeclaration(node) ||
      ts.isPropertySignature(node) ||
      ts.isPropertyAssignment(node) ||
      ts.isShorthandPropertyAssignment(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isExpression(node)
    )
      return [node, ...this.signaturesOf(this.checker.getTypeAtLocation(node))]
    return []
  }

  /** The declarations of the signatures that a type has in the workspace. */
  signaturesOf(type: ts.Type): ts.Node[] {
    return this.checker
      .getNonNullableType(type)
      .getCallSignatures()
      .map(({ declaration }) => declaration)
      .filter(declaration => declaration !== undefined)
      .filter(declaration => isOurs(declaration.getSourceFile()))
  }

  /** The name by which a user knows an error: its own, or that of the class above it where it is not exported. */
  publicName(type: ts.Type): string {
    const { symbol } = type
    if (!symbol) return this.checker.typeToString(type)
    const [base] = type.getBaseTypes() ?? []
    const isInternal = symbol.declarations?.some(node => isOurs(node.getSourceFile())) && !this.#exported.has(symbol)
    return isInternal && base ? this.publicName(base) : symbol.name
  }
}

/** Whether a file is source of the workspace that users import. */
export const isOurs = ({ fileName }: ts.SourceFile): boolean =>
  /\/(packages\/[^/]+|apps\/sandbox)\/src\//.test(fileName)

/** A function with its file, for messages. */
export function nameOf(node: ts.Node): string {
  const named = node as ts.NamedDeclaration
  const name = named.name?.getText() ?? (node.parent as ts.NamedDeclaration | undefined)?.name?.getText() ?? '…'
  const { fileName } = node.getSourceFile()
  return `${name} (${fileName.slice(root.length).replace(/^.*\/src\//, '')})`
}
