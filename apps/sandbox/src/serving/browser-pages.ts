import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { HttpRequest } from '@lead-distribution/http'
import { demoAccount } from '@lead-distribution/simulator'
import { pagePaths, referencePath, sandboxPath } from '@lead-distribution/simulator/urls'
import { packageFile } from '../package-files.ts'
import { llmsText } from './llms-text.ts'
import { referenceStyle } from './reference-style.ts'
import type { SentResponse } from './tagged-responses.ts'

export interface BrowserPagesOptions {
  /** The sandbox's URL, including the mount path. */
  readonly url: string
  /** True if the control plane requires a token; then no page contains the demo account's keys. */
  readonly needsToken: boolean
}

/** Returns the page for a request, or a promise of it; undefined if the simulator should respond. */
export type BrowserPages = (
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
) => Promise<SentResponse | undefined> | undefined

/**
 * Serves the console, the reference and the page for language models. All their files are in this package. A standalone
 * server also has the last one at `/llms.txt`, and shows the console at `/`.
 */
export function createBrowserPages({ url, needsToken }: BrowserPagesOptions): BrowserPages {
  const mountPath = new URL(url).pathname.replace(/\/$/, '')
  const consolePath = `${sandboxPath}${pagePaths.index}`
  const llms = async () => page('text/plain', llmsText(url, needsToken))
  const reference = async () => page('text/html', await referencePage(mountPath), referencePolicy)
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
    // People type it without the slash. The page loads files by absolute paths.
    [`${referencePath}/`, reference],
    [`${referenceAssets}theme.js`, async () => page('text/javascript', await themeScript())],
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

/** Returns true if a page is wanted: browsers request HTML, programs get JSON. */
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

/** The console's folder: its build is placed next to this package's sources. */
const consoleFolder = packageFile('console/')

/** The console's page. It references its files by relative paths, so it works under every mount path. */
async function consolePage(): Promise<SentResponse> {
  const found = await file(consoleFolder, 'index.html', { 'cache-control': 'no-cache' })
  if (!found) return notBuilt
  const html = found.body.toString()
  const policy = policyOf({
    script: `'self' ${hashesOf(html, 'script')}`,
    style: `'self' ${hashesOf(html, 'style')}`,
    img: "'self'",
  })
  return { ...found, headers: { ...found.headers, 'content-security-policy': policy } }
}

const notBuilt: SentResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
  body: 'The console is not built: run `npm run build`, or start the sandbox with `npm start`.\n',
}

/** A file that the console loads. Its name contains a hash of its content. */
async function consoleAsset(name: string): Promise<SentResponse | undefined> {
  return file(join(consoleFolder, 'assets'), name, { 'cache-control': 'public, max-age=31536000, immutable' })
}

/** The Swagger UI files that the reference loads; the package has more. */
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
 * The package contains Swagger UI's files in `reference`; in a checkout they are in their own package. Resolved with
 * `require`, because vitest, which runs a checkout's sources itself, lacks `import.meta.resolve`.
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

/** Reads a file from a folder, with an ETag; undefined if there is none with this name. */
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

/** The file of the console's typeface. */
const typeface = /^geist-latin-wght-normal-.*\.woff2$/

/** The reference of the service and the control plane, with a selector at the top. */
async function referencePage(mountPath: string): Promise<string> {
  const font = (await readdir(join(consoleFolder, 'assets')).catch(() => [])).find(name => typeface.test(name))
  const loaded = `${mountPath}${referenceAssets}`
  const documents = `${mountPath}${sandboxPath}`
  return `<!doctype html>
<html lang="en" data-theme="system">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lead distribution sandbox: reference</title>
<link rel="stylesheet" href="${loaded}swagger-ui.css">
<link rel="icon" type="image/png" href="${loaded}favicon-32x32.png">
<style>${referenceStyle(font && `${mountPath}${consoleAssets}${font}`)}</style>
<script src="${loaded}theme.js"></script>
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

/** The demo account's keys, by the names of the credentials in the service's document. */
const demoKeys = {
  publisherKey: demoAccount.publisher_key,
  advertiserKey: demoAccount.advertisers[0]?.api_key ?? '',
}

/** Returns the console's own script that applies the chosen theme, for the reference. Empty if the console is not built. */
async function themeScript(): Promise<string> {
  const html = await readFile(join(consoleFolder, 'index.html'), 'utf8').catch(() => '')
  return inlineTexts(html, 'script').join('\n')
}

/** The script that starts the reference. It contacts no other host: no validator, no fonts. */
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

/** Returns a page's inline scripts or styles. */
function inlineTexts(html: string, tag: 'script' | 'style'): string[] {
  return [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, text = '']) => text)
}

/** Returns the hashes of a page's inline scripts or styles, as its policy lists them. */
function hashesOf(html: string, tag: 'script' | 'style'): string {
  const hashes = inlineTexts(html, tag).map(text => createHash('sha256').update(text).digest('base64'))
  return hashes.map(hash => `'sha256-${hash}'`).join(' ')
}

/** The policy of the reference: Swagger UI uses style attributes and data URLs for images. */
const referencePolicy = policyOf({ script: "'self'", style: "'self' 'unsafe-inline'", img: "'self' data:" })

/** Creates a Content Security Policy: only the page's own origin, and these sources. */
function policyOf(allowed: { readonly script: string; readonly style: string; readonly img: string }): string {
  return [
    "default-src 'none'",
    `script-src ${allowed.script}`,
    `style-src ${allowed.style}`,
    `img-src ${allowed.img}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';')
}
