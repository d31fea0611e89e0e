import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { referencePath } from '@lead-distribution/simulator/surface'
import { type RequestHandler, Router, static as serveFiles } from 'express'
import helmet from 'helmet'
import { assetsPath, referencePage, referencePolicy, startScript } from './reference-page.ts'

/** The files of Swagger UI that the page loads; the package holds more. */
const assets: ReadonlySet<string> = new Set([
  '/favicon-32x32.png',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui.css',
])

/** The readable reference of both OpenAPI documents. What it loads comes out of an npm package, nothing from elsewhere. */
export function createReference(): Router {
  const folder = dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css')))
  const files = serveFiles(folder, { index: false, redirect: false })
  const policy = helmet.contentSecurityPolicy({ useDefaults: false, directives: referencePolicy })
  const reference = Router({ caseSensitive: true, strict: true })
  // Also with a slash at its end: people write it so. The page names what it loads by whole paths.
  reference.get([referencePath, `${referencePath}/`], policy, text('text/html', referencePage))
  reference.get(`${assetsPath}/start.js`, text('text/javascript', startScript))
  reference.use(assetsPath, (request, response, next) => {
    const [file = ''] = request.url.split('?', 1)
    if (assets.has(file)) files(request, response, next)
    else next()
  })
  return reference
}

function text(type: string, content: string): RequestHandler {
  return (_, response) => {
    response.setHeader('content-type', `${type}; charset=utf-8`)
    response.setHeader('cache-control', 'no-cache')
    response.end(content)
  }
}
