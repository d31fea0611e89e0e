import type { NextFunction, Request, Response } from 'express'
import { Router } from 'express'
import helmet from 'helmet'
import { createReference } from './reference.ts'
import type { SandboxListener } from './request-listener.ts'

/** Answers a request below the sandbox's own path. */
export type SandboxPages = (request: Request, response: Response, next: NextFunction) => void

/**
 * The sandbox's own path: the reference, and behind it what the simulator answers, all with the headers of
 * helmet. The policy is that of a response without a page; a page brings its own, because only the page knows what it loads.
 * `mountPath` is the path that the sandbox is mounted at, empty at the root.
 */
export function createPages(mountPath: string, answer: SandboxListener): SandboxPages {
  const pages = Router()
  pages.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      // A proxy with TLS in front of the sandbox decides for its host; the sandbox itself speaks plain HTTP.
      strictTransportSecurity: false,
      // The service is on the same origin and never sends it; a browser wants one answer of an origin.
      originAgentCluster: false,
    }),
  )
  pages.use(createReference(mountPath))
  pages.use(answer)
  return pages
}
