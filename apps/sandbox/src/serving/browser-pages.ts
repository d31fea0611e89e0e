import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { HttpRequest } from '@lead-distribution/http'
import { demoAccount } from '@lead-distribution/simulator'
import { pagePaths, referencePath, sandboxPath } from '@lead-distribution/simulator/urls'
import { packageFile } from '../package-files.ts'
import { llmsText } from './llms-text.ts'
import type { SentResponse } from './tagged-responses.ts'

export interface BrowserPagesOptions {
  /** The URL of the sandbox, with the path that it is mounted at. */
  readonly url: string
  /** True if the control plane requires a token: then no page holds the keys of the demo account. */
  readonly needsToken: boolean
}

/** Returns the page of a request; undefined, or a promise of it, where the simulator responds. */
export type BrowserPages = (
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
) => Promise<SentResponse | undefined> | undefined

/**
 * The console, the reference and the page for language models. All that they load comes out of this package. A server of its
 * own has the last one at `/llms.txt` too, and shows the console at `/`.
 */
export function createBrowserPages({ url, needsToken }: BrowserPagesOptions): BrowserPages {
  const mountPath = new URL(url).pathname.replace(/\/$/, '')
  const consolePath = `${sandboxPath}${pagePaths.index}`
  const llms = async () => page('text/plain', llmsText(url, needsToken))
  const reference = async () => page('text/html', referencePage(mountPath), referencePolicy)
  const toConsole = async () => redirectTo(`${mountPath}${consolePath}`)
  const forBrowsers = new Map([
    ['/', toConsole],
    [sandboxPath, toConsole],
    [consolePath, consolePage],
  ])
  const forAll = new Map([
    ['/llms.txt', llms],
    [`${sandboxPath}${pagePaths.llms}`, llms],
    [referencePath, reference],
    // People write it so. The page names what it loads by whole paths.
    [`${referencePath}/`, reference],
    [`${referenceAssets}start.js`, async () => page('text/javascript', startScript(mountPath, needsToken))],
  ])
  return ({ method, target, headers }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const [path = ''] = target.split('?', 1)
    const show = forAll.get(path) ?? (acceptsHtml(headers) ? forBrowsers.get(path) : undefined)
    if (show) return show()
    if (path.startsWith(consoleAssets)) return consoleAsset(path.slice(consoleAssets.length))
    if (path.startsWith(referenceAssets)) return referenceAsset(path.slice(referenceAssets.length))
    return undefined
  }
}

const folderOf = (path: string) => `${sandboxPath}${path.replace(':file', '')}`
const consoleAssets = folderOf(pagePaths.consoleAsset)
const referenceAssets = folderOf(pagePaths.referenceAsset)

/** Returns true if a page is wanted: a browser asks for one, a program gets JSON. */
function acceptsHtml({ accept }: HttpRequest['headers']): boolean {
  return String(accept ?? '').includes('text/html')
}

function redirectTo(location: string): SentResponse {
  return { status: 302, headers: { location }, body: '' }
}

function page(type: string, body: string, policy?: string): SentResponse {
  return {
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      ...(policy !== undefined && { 'content-security-policy': policy }),
    },
    body,
  }
}

/** The folder of the console: its build puts it beside the sources of this package. */
const consoleFolder = packageFile('console/')

/** The page of the console. It names its files relative to itself, so it works at every path that the sandbox is mounted at. */
async function consolePage(): Promise<SentResponse> {
  const headers = { 'cache-control': 'no-cache', 'content-security-policy': pagePolicy }
  return (await file(consoleFolder, 'index.html', headers)) ?? notBuilt
}

const notBuilt: SentResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
  body: 'The console is not built: run `npm run build`, or start the sandbox with `npm start`.\n',
}

/** A file that the console loads. Its name holds a hash of its content. */
async function consoleAsset(name: string): Promise<SentResponse | undefined> {
  return file(join(consoleFolder, 'assets'), name, { 'cache-control': 'public, max-age=31536000, immutable' })
}

/** The files of Swagger UI that the reference loads; the package holds more. */
const swaggerUiFiles: ReadonlySet<string> = new Set([
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
])

async function referenceAsset(name: string): Promise<SentResponse | undefined> {
  if (!swaggerUiFiles.has(name)) return undefined
  return file(swaggerUiFolder(), name, { 'cache-control': 'public, max-age=0' })
}

/**
 * In the package Swagger UI's files are copied to `reference`; in a checkout they are in the package that ships them. Found by
 * `require`: vitest, which runs a checkout's sources itself, has no `import.meta.resolve`.
 */
function swaggerUiFolder(): string {
  const packed = packageFile('reference/swagger-ui.css')
  const styles = existsSync(packed)
    ? packed
    : createRequire(import.meta.url).resolve('@fastify/swagger-ui/static/swagger-ui.css')
  return dirname(styles)
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Reads a file of a folder, with an ETag; undefined if there is none of the name. */
async function file(folder: string, name: string, headers: SentResponse['headers']): Promise<SentResponse | undefined> {
  const type = contentTypes[extname(name)]
  if (type === undefined || !/^[\w-][\w.-]*$/.test(name)) return undefined
  const body = await readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!body) return undefined
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
  return { status: 200, headers: { 'content-type': type, ...headers, etag }, body }
}

/** The reference of the service and of the control plane; which of them it shows is chosen at its top. */
function referencePage(mountPath: string): string {
  const loaded = `${mountPath}${referenceAssets}`
  const documents = `${mountPath}${sandboxPath}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lead distribution sandbox: reference</title>
<link rel="stylesheet" href="${loaded}swagger-ui.css">
<link rel="icon" type="image/png" href="${loaded}favicon-32x32.png">
<style>body { margin: 0 }</style>
<div id="reference"></div>
<noscript>
  <p>The reference needs JavaScript. The documents it shows:
  <a href="${documents}${pagePaths.serviceDocument}">the service</a>,
  <a href="${documents}${pagePaths.controlDocument}">the control plane</a>.</p>
</noscript>
<script src="${loaded}swagger-ui-bundle.js"></script>
<script src="${loaded}swagger-ui-standalone-preset.js"></script>
<script src="${loaded}start.js"></script>
</html>
`
}

/** The keys of the demo account, by the names of the credentials in the service's document. */
const demoKeys = {
  publisherKey: demoAccount.publisher_key,
  advertiserKey: demoAccount.advertisers[0]?.api_key ?? '',
}

/** The script that starts the reference. It sends no request to another host: no validator, no fonts. */
function startScript(mountPath: string, needsToken: boolean): string {
  const urls = [
    { name: 'The service', url: `${mountPath}${sandboxPath}${pagePaths.serviceDocument}` },
    { name: 'The control plane', url: `${mountPath}${sandboxPath}${pagePaths.controlDocument}` },
  ]
  return `const reference = SwaggerUIBundle({
  dom_id: '#reference',
  urls: ${JSON.stringify(urls)},
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  validatorUrl: null,
  onComplete() {
    for (const [name, key] of Object.entries(${JSON.stringify(needsToken ? {} : demoKeys)})) reference.preauthorizeApiKey(name, key)
  },
})
`
}

/** The content security policy of a page: only its own origin. */
const pagePolicy = policyOf({ style: "'self'", img: "'self'" })

/** That of the reference: Swagger UI sets styles by attribute and shows drawings from data URLs. */
const referencePolicy = policyOf({ style: "'self' 'unsafe-inline'", img: "'self' data:" })

function policyOf({ style, img }: { readonly style: string; readonly img: string }): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    `img-src ${img}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';')
}
