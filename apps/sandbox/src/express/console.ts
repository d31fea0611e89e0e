import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { sandboxPath } from '@lead-distribution/simulator/paths'
import { Router, static as serveFiles } from 'express'
import helmet from 'helmet'
import { packageFile } from '../package-files.ts'

/** Where the files of the console are: its build puts them beside the sources of this package. */
const folder = packageFile('console/')

const assetsPath = `${sandboxPath}/assets`

/**
 * The console: the page that shows and controls the tenants. Everything that it loads comes out of this package. It names
 * its files relative to itself, so it works at every path that the sandbox is mounted at.
 */
export function createConsole(): Router {
  const policy = helmet.contentSecurityPolicy({ useDefaults: false, directives: consolePolicy })
  const page = serveFiles(folder, { index: 'index.html', redirect: false, cacheControl: false })
  const router = Router({ caseSensitive: true, strict: true })
  router.get(`${sandboxPath}/`, (request, response, next) => {
    if (!wantsPage(request)) return next()
    response.setHeader('cache-control', 'no-cache')
    if (!existsSync(`${folder}index.html`)) {
      response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' })
      response.end('The console is not built: run `npm run build`, or start the sandbox by `npm start`.\n')
      return
    }
    policy(request, response, () => {
      request.url = '/'
      page(request, response, next)
    })
  })
  // Their names hold a hash of their content.
  router.use(
    assetsPath,
    serveFiles(`${folder}assets`, { index: false, redirect: false, immutable: true, maxAge: '1y' }),
  )
  return router
}

/** Whether a page is wanted: a browser asks for one, a program gets the 404 in JSON of a path that is no endpoint. */
function wantsPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true
}

/** What the page may load and call: files and paths of its own origin, and nothing else. */
const consolePolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}
