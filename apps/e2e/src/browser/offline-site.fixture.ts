import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A server that serves only a page's files, and records its requests. */
export interface OfflineSite {
  readonly origin: string
  /** Method and path of each request. */
  readonly asked: string[]
  close(): Promise<void>
}

/**
 * The page's policy: its own scripts, none made from text; the sandbox's origin, where no server is. The advertiser's
 * page, once parsed, has its own style.
 */
const policy = (sandboxOrigin: string) =>
  `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; worker-src 'self'; connect-src 'self' ${sandboxOrigin} https://elsewhere.test; img-src 'self' ${sandboxOrigin}`

const html = '<!doctype html><title>Apply</title><body><script type="module" src="/page.js"></script>'

/** Bundles the offline page with a version of msw and serves it, with msw's own worker beside it. */
export async function openOfflineSite(sandboxOrigin: string, msw: 'msw' | 'msw2'): Promise<OfflineSite> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('offline-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    ...(msw === 'msw2' && { alias: { msw } }),
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
  })
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    // Not at `/`: on a reload, msw treats the page itself as an unhandled request unless its path has a file name.
    '/apply.html': ['text/html; charset=utf-8', html],
    '/page.js': ['text/javascript', outputFiles[0]?.text ?? ''],
    '/mockServiceWorker.js': [
      'text/javascript',
      await readFile(fileURLToPath(import.meta.resolve(`${msw}/mockServiceWorker.js`)), 'utf8'),
    ],
  }
  const asked: string[] = []
  const server = createServer(({ method, url = '' }, response) => {
    const [path = ''] = url.split('?', 1)
    asked.push(`${method} ${path}`)
    const [type, text] = files[path] ?? ['text/plain', 'Nothing is here.']
    response.writeHead(files[path] ? 200 : 404, {
      'content-type': type,
      'content-security-policy': policy(sandboxOrigin),
    })
    response.end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
