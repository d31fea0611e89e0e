import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { isTest, type Source, sources } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'

/** Modules that can open connections, with their harmless exports. Types are always harmless. */
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

/** Libraries that exist to open connections. */
const clients =
  /^(undici|ws|ky|pg|axios|got|node-fetch|cross-fetch|superagent|needle|eventsource|nodemailer|@lead-distribution\/[a-z]+-sdk)(\/|$)/

/** The globals of every JavaScript runtime that open connections. */
const globals = ['fetch', 'WebSocket', 'WebSocketStream', 'EventSource', 'XMLHttpRequest', 'sendBeacon', 'WebTransport']

/** Returns the names by which a source opens connections, or could without this check noticing. */
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

/** `import(…)` and the like. A computed module name may be anything, and so may the code in `eval`. */
function waysOutOfCall({ expression, arguments: [argument], parent }: ts.CallExpression): string[] {
  const text = expression.getText()
  const onlyResolves = ts.isPropertyAccessExpression(parent) && parent.name.text === 'resolve'
  if (text === 'createRequire') {
    const [required] = ts.isCallExpression(parent) ? parent.arguments : []
    if (onlyResolves) return []
    return required && ts.isStringLiteralLike(required) ? wholeModule(required) : [text]
  }
  if (/^(globalThis\.)?eval$|^process\.(binding|_linkedBinding|dlopen)$/.test(text)) return [text]
  const loads = expression.kind === ts.SyntaxKind.ImportKeyword || /^(require|process\.getBuiltinModule)$/.test(text)
  if (!loads) return []
  const harmless = modules[nameOf(argument)]
  if (harmless && ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name))
    return waysOutOfBinding(nameOf(argument), harmless, parent.name)
  return argument && ts.isStringLiteralLike(argument) ? wholeModule(argument) : [text]
}

/** Returns the ways out among the names that a loaded module is destructured into. */
function waysOutOfBinding(
  module: string,
  harmless: readonly string[],
  { elements }: ts.ObjectBindingPattern,
): string[] {
  return elements
    .map(({ propertyName, name, dotDotDotToken }) => (dotDotDotToken ? '*' : (propertyName ?? name).getText()))
    .filter(taken => !harmless.includes(taken))
    .map(taken => `${module}.${taken}`)
}

/** The module itself, if all or an unknown part of it is imported. */
function wholeModule(specifier: ts.Expression | undefined): string[] {
  const module = nameOf(specifier)
  return modules[module] || clients.test(module) ? [module] : []
}

function nameOf(specifier: ts.Expression | undefined): string {
  return specifier && ts.isStringLiteralLike(specifier) ? specifier.text.replace(/^node:/, '') : ''
}

/** Returns true if a name is read as a value, rather than naming a property, method or type. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return isGlobal(parent.expression)
  const names = ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isTypeElement(parent)
  return !ts.isTypeNode(parent) && !(names && parent.name === node)
}

function isGlobal(expression: ts.Expression): boolean {
  return /^(globalThis|global|window|self|navigator)$/.test(expression.getText())
}

// A check that finds nothing would pass anything.
it('finds each way to open a connection', () =>
  eachRow(
    [
      ["import { request } from 'node:http'", 'http.request'],
      ["import { get as load } from 'node:https'", 'https.get'],
      ["import { createServer, Agent } from 'http'", 'http.Agent'],
      ["import http from 'node:http'", 'http'],
      ["import * as net from 'node:net'", 'net'],
      ["import { connect } from 'node:tls'", 'tls.connect'],
      ["import { createSocket } from 'node:dgram'", 'dgram.createSocket'],
      ["import { execFile } from 'node:child_process'", 'child_process.execFile'],
      ["import { lookup } from 'node:dns'", 'dns.lookup'],
      ["export { request } from 'node:http'", 'http'],
      ["const http = await import('node:http')", 'http'],
      ["const http = require('http')", 'http'],
      ["process.getBuiltinModule('node:http')", 'http'],
      ["const { createServer, request: send } = process.getBuiltinModule('node:http')", 'http.request'],
      ["const { createServer, ...others } = process.getBuiltinModule('node:http')", 'http.*'],
      ["const { spawn } = require('child_process')", 'child_process.spawn'],
      ['const { connect } = await import(name)', 'import'],
      ['const module = await import(name)', 'import'],
      ["createRequire(import.meta.url)('node:http')", 'http'],
      ['createRequire(import.meta.url)(name)', 'createRequire'],
      ['const load = createRequire(import.meta.url)', 'createRequire'],
      ["eval('1')", 'eval'],
      ["import { request } from 'undici'", 'undici'],
      ["import WebSocket from 'ws'", 'ws'],
      ["import ky from 'ky'", 'ky'],
      ["import { createAdvertiser } from '@lead-distribution/advertiser-sdk'", '@lead-distribution/advertiser-sdk'],
      ["await fetch('https://advertiser.example')", 'fetch'],
      ['const send = globalThis.fetch', 'fetch'],
      ["globalThis['fetch']('https://advertiser.example')", "globalThis['fetch']"],
      ["new WebSocket('wss://lender.example')", 'WebSocket'],
      ["navigator.sendBeacon('https://advertiser.example')", 'sendBeacon'],
      ['const ways = { fetch }', 'fetch'],
    ],
    (text, way) => {
      expect(waysOutOf(text)).toContain(way)
    },
  ))

/** The file that creates the server: a lead is nowhere else. */
const ofTheServer = /^(packages\/(contract|engine|http|simulator)|apps\/sandbox)\/src\//
/**
 * The command line's calls, of a sandbox that runs already and of an application that is certified: they are beside the
 * server, and it does not load them.
 */
const ofTheCommandLine = /^(apps\/sandbox\/src\/(cli\/|main\.ts$)|packages\/certification\/)/
const serverSources = sources.filter(
  ({ path }) => ofTheServer.test(path) && !ofTheCommandLine.test(path) && !isTest(path),
)
const filesWithWaysOut = (files: readonly Source[]) =>
  files.filter(({ text }) => waysOutOf(text).length > 0).map(({ path }) => path)

/** To the publisher, and to the operator's own database, which `--data` names. */
const waysOut = ['apps/sandbox/src/dialer/node-dialer.ts', 'apps/sandbox/src/storage/postgres/connection.ts']

describe('the server', () => {
  it('has one file that opens connections, and one that opens those to its database', () => {
    expect(serverSources.length).toBeGreaterThan(100)
    expect(filesWithWaysOut(serverSources).sort()).toEqual(waysOut)
  })

  it('does not load the command line', () => {
    const loads = /(from |import\()'(\.\.?\/)+(cli\/|main\.ts)|@lead-distribution\/certification/
    expect(serverSources.filter(({ text }) => loads.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('passes its connections only to the egress guard', () => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    const users = serverSources.filter(({ text }) => /\bdialer\b(?!\.ts')/.test(code(text)))
    expect(users.map(({ path }) => path)).toEqual([
      'apps/sandbox/src/open-sandbox.ts',
      'packages/simulator/src/egress/guarded-egress.ts',
      'packages/simulator/src/sandbox.ts',
    ])
  })
})

it('opens connections or starts a process in only one file of the command line, besides the control client', () => {
  const commandLine = sources.filter(({ path }) => ofTheCommandLine.test(path) && !isTest(path))
  expect(filesWithWaysOut(commandLine)).toEqual(['packages/certification/src/run-command.ts'])
})
