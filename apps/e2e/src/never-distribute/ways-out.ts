import ts from 'typescript'

/** Modules by which a program reaches others, and what of them reaches nobody. Types are always harmless. */
const modules: Record<string, readonly string[]> = {
  http: ['createServer', 'Server', 'STATUS_CODES', 'METHODS'],
  https: ['createServer', 'Server'],
  http2: ['createServer', 'createSecureServer', 'constants'],
  net: ['createServer', 'Server', 'isIP', 'isIPv4', 'isIPv6', 'BlockList'],
  tls: ['createServer', 'Server'],
  dgram: [],
  dns: [],
  'dns/promises': [],
  child_process: [],
  cluster: [],
  inspector: [],
}

/** Libraries whose purpose it is to reach others. */
const clients =
  /^(undici|ws|ky|axios|got|node-fetch|cross-fetch|superagent|needle|eventsource|nodemailer|@lead-distribution\/[a-z]+-sdk)(\/|$)/

/** What every JavaScript runtime has for it without an import. */
const globals = ['fetch', 'WebSocket', 'WebSocketStream', 'EventSource', 'XMLHttpRequest', 'sendBeacon', 'WebTransport']

/** By which names a source opens connections to others, or could without this check seeing it; none where it cannot. */
export function waysOutOf(text: string): string[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node) => {
    found.push(...waysOutAt(node))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function waysOutAt(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node)) return waysOutOfImport(node)
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? [] : wholeModule(node.moduleSpecifier)
  if (ts.isCallExpression(node)) return waysOutOfCall(node)
  if (ts.isElementAccessExpression(node)) return isGlobal(node.expression) ? [node.getText()] : []
  return ts.isIdentifier(node) && globals.includes(node.text) && isUse(node) ? [node.text] : []
}

function waysOutOfImport({ importClause: clause, moduleSpecifier }: ts.ImportDeclaration): string[] {
  if (!clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return []
  const module = nameOf(moduleSpecifier)
  const harmless = modules[module]
  const { name, namedBindings } = clause
  if (!harmless || name || !namedBindings || ts.isNamespaceImport(namedBindings)) return wholeModule(moduleSpecifier)
  return namedBindings.elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(element => (element.propertyName ?? element.name).text)
    .filter(imported => !harmless.includes(imported))
    .map(imported => `${module}.${imported}`)
}

/** `import(…)` and its like; where the module is not written out, anything is feared, and so it is of `eval`. */
function waysOutOfCall({ expression, arguments: [argument], parent }: ts.CallExpression): string[] {
  const text = expression.getText()
  const onlyResolves = ts.isPropertyAccessExpression(parent) && parent.name.text === 'resolve'
  if (text === 'createRequire') return onlyResolves ? [] : [text]
  if (/^(globalThis\.)?eval$|^process\.(binding|_linkedBinding|dlopen)$/.test(text)) return [text]
  const loads = expression.kind === ts.SyntaxKind.ImportKeyword || /^(require|process\.getBuiltinModule)$/.test(text)
  if (!loads) return []
  return argument && ts.isStringLiteralLike(argument) ? wholeModule(argument) : [text]
}

/** The module itself, where all of it or an unknown part of it is taken. */
function wholeModule(specifier: ts.Expression | undefined): string[] {
  const module = nameOf(specifier)
  return modules[module] || clients.test(module) ? [module] : []
}

function nameOf(specifier: ts.Expression | undefined): string {
  return specifier && ts.isStringLiteralLike(specifier) ? specifier.text.replace(/^node:/, '') : ''
}

/** Whether a name is read as a value, and not the name of a property, a method or a type. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return isGlobal(parent.expression)
  const names = ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isTypeElement(parent)
  return !ts.isTypeNode(parent) && !(names && parent.name === node)
}

function isGlobal(expression: ts.Expression): boolean {
  return /^(globalThis|global|window|self|navigator)$/.test(expression.getText())
}
