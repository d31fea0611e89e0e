import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { demoAccount } from '@lead-distribution/simulator'
import { referencePath, sandboxPath } from '@lead-distribution/simulator/urls'
import type { NextFunction, Request, RequestHandler, Response, Router } from 'express'
import helmet from 'helmet'
import { packageFile } from '../package-files.ts'
import { llmsText } from './llms-text.ts'
import type { SandboxListener } from './request-listener.ts'

/** The URL of a sandbox, with the path that it is mounted at. Rejects where the sandbox cannot be opened. */
type MountUrl = () => Promise<string>

/** Loaded for the first page: Express. */
type Express = typeof import('express')

/** Responds to the request of a page. */
export type SandboxPages = (request: Request, response: Response, next: NextFunction) => void

/**
 * The pages: the console, the reference, the page for language models, and behind them those of the simulator. `url`
 * resolves to the URL of the sandbox once that is known. Where the sandbox is not shared, the reference has the keys of the
 * demo account, which are the documented ones.
 */
export function createPages(url: MountUrl, answer: SandboxListener, isShared: boolean): SandboxPages {
  // Not by `import`: Node 22 never tries one again that failed, such as for want of file descriptors.
  const express: Express = createRequire(import.meta.url)('express')
  const pages = express.Router({ caseSensitive: true, strict: true })
  pages.use(createConsole(express))
  pages.use(createReference(express, url, isShared ? {} : demoKeys))
  pages.get(
    llmsPath,
    text('text/plain', url, own => llmsText(own, isShared)),
  )
  pages.use(answer)
  return pages
}

/** Returns true for the path of a page. The simulator responds to every other path. */
export function isPage(url: string): boolean {
  return pagePath.test(url)
}

/** By the names of the credentials in the service's document. */
const demoKeys = {
  publisherKey: demoAccount.publisher_key,
  advertiserKey: demoAccount.advertisers[0]?.api_key ?? '',
}

/** The page for language models. A server of its own has it at `/llms.txt` too. */
export const llmsPath = `${sandboxPath}/llms.txt`

const assetsPath = `${referencePath}/assets`

/** The files of Swagger UI that the page loads; the package holds more. */
const assets: ReadonlySet<string> = new Set([
  '/favicon-32x32.png',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui.css',
])

/** The readable reference of both OpenAPI documents, served from an npm package. */
function createReference(
  { Router, static: serveFiles }: Express,
  url: MountUrl,
  keys: Readonly<Record<string, string>>,
): Router {
  const files = serveFiles(dirname(swaggerUiStyles()), { index: false, redirect: false })
  const policy = helmet.contentSecurityPolicy({ useDefaults: false, directives: referencePolicy })
  const reference = Router({ caseSensitive: true, strict: true })
  // Also with a slash at its end: people write it so. The page names what it loads by whole paths.
  reference.get(
    [referencePath, `${referencePath}/`],
    policy,
    text('text/html', url, own => referencePage(mountPathOf(own))),
  )
  reference.get(
    `${assetsPath}/start.js`,
    text('text/javascript', url, own => startScript(mountPathOf(own), keys)),
  )
  reference.use(assetsPath, (request, response, next) => {
    const [file = ''] = request.url.split('?', 1)
    if (assets.has(file)) files(request, response, next)
    else next()
  })
  return reference
}

/**
 * In the package Swagger UI's files are copied to `reference`; in a checkout they are in the package that ships them. Found by
 * `require`: vitest, which runs a checkout's sources itself, has no `import.meta.resolve`.
 */
function swaggerUiStyles(): string {
  const packed = packageFile('reference/swagger-ui.css')
  if (existsSync(packed)) return packed
  return createRequire(import.meta.url).resolve('@fastify/swagger-ui/static/swagger-ui.css')
}

/** The path that a sandbox is mounted at, empty at the root. */
const mountPathOf = (url: string) => new URL(url).pathname.replace(/\/$/, '')

function text(type: string, url: MountUrl, content: (url: string) => string): RequestHandler {
  return (_, response, next) => {
    const send = (own: string) => {
      response.setHeader('content-type', `${type}; charset=utf-8`)
      response.setHeader('cache-control', 'no-cache')
      const body = content(own)
      response.setHeader('content-length', Buffer.byteLength(body))
      response.end(body)
    }
    // Where the sandbox could not be opened, what comes next says so.
    url().then(send, () => next())
  }
}

/** The reference of the service and of the control plane; which of them it shows is chosen at its top. */
function referencePage(mountPath: string): string {
  const loaded = `${mountPath}${assetsPath}`
  const documents = `${mountPath}${sandboxPath}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lead distribution sandbox: reference</title>
<link rel="stylesheet" href="${loaded}/swagger-ui.css">
<link rel="icon" type="image/png" href="${loaded}/favicon-32x32.png">
<style>body { margin: 0 }</style>
<div id="reference"></div>
<noscript>
  <p>The reference needs JavaScript. The documents it shows:
  <a href="${documents}/service.openapi.json">the service</a>,
  <a href="${documents}/openapi.json">the control plane</a>.</p>
</noscript>
<script src="${loaded}/swagger-ui-bundle.js"></script>
<script src="${loaded}/swagger-ui-standalone-preset.js"></script>
<script src="${loaded}/start.js"></script>
</html>
`
}

/** The script that starts the reference. It sends no request to another host: no validator, no fonts. */
function startScript(mountPath: string, keys: Readonly<Record<string, string>>): string {
  const urls = [
    { name: 'The service', url: `${mountPath}${sandboxPath}/service.openapi.json` },
    { name: 'The control plane', url: `${mountPath}${sandboxPath}/openapi.json` },
  ]
  return `const reference = SwaggerUIBundle({
  dom_id: '#reference',
  urls: ${JSON.stringify(urls)},
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  validatorUrl: null,
  onComplete() {
    for (const [name, key] of Object.entries(${JSON.stringify(keys)})) reference.preauthorizeApiKey(name, key)
  },
})
`
}

/** The content security policy of a page: only its own origin. */
const pagePolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}

/** That of the reference: Swagger UI sets styles by attribute and shows drawings from data URLs. */
const referencePolicy = { ...pagePolicy, styleSrc: ["'self'", "'unsafe-inline'"], imgSrc: ["'self'", 'data:'] }

/** The folder of the console: its build puts it beside the sources of this package. */
const consoleFolder = packageFile('console/')

const consoleAssetsPath = `${sandboxPath}/assets`

const pagePath = new RegExp(
  `^(?:${sandboxPath}/|${llmsPath}|(?:${consoleAssetsPath}|${referencePath})(?:/.*)?)(?:\\?|$)`,
)

/**
 * The console: the page that shows and controls the tenants. Everything that it loads comes out of this package. It names
 * its files relative to itself, so it works at every path that the sandbox is mounted at.
 */
function createConsole({ Router, static: serveFiles }: Express): Router {
  const policy = helmet.contentSecurityPolicy({ useDefaults: false, directives: pagePolicy })
  const page = serveFiles(consoleFolder, { index: 'index.html', redirect: false, cacheControl: false })
  const router = Router({ caseSensitive: true, strict: true })
  router.get(`${sandboxPath}/`, (request, response, next) => {
    if (!wantsPage(request)) return next()
    response.setHeader('cache-control', 'no-cache')
    if (!existsSync(`${consoleFolder}index.html`)) {
      response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' })
      response.end('The console is not built: run `npm run build`, or start the sandbox with `npm start`.\n')
      return
    }
    policy(request, response, () => {
      request.url = '/'
      page(request, response, next)
    })
  })
  // Their names hold a hash of their content.
  router.use(
    consoleAssetsPath,
    serveFiles(`${consoleFolder}assets`, { index: false, redirect: false, immutable: true, maxAge: '1y' }),
  )
  return router
}

/** Returns true if a page is wanted: a browser asks for one, a program gets JSON. */
function wantsPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true
}
