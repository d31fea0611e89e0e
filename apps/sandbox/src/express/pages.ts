import type { RequestListener } from 'node:http'
import { type Request, type Response, Router } from 'express'
import helmet from 'helmet'
import { createReference } from '../reference/reference.ts'

/**
 * What stands below the sandbox's path: the reference, and behind it what the simulator answers, all of it with the
 * headers of helmet. The policy is that of a reply which is no page; a page of ours brings its own in its place, because it
 * alone knows what it loads.
 */
export function createOwnPages(answer: RequestListener): RequestListener {
  const pages = Router()
  pages.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      // Who puts TLS in front of the sandbox decides for its host; the sandbox itself speaks plain HTTP.
      strictTransportSecurity: false,
      // The service stands on the same origin and never sends it; a browser wants one answer of an origin.
      originAgentCluster: false,
    }),
  )
  pages.use(createReference())
  pages.use(answer)
  return (request, response) => pages(request as Request, response as Response, () => answer(request, response))
}
