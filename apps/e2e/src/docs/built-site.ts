import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../architecture/sources.ts'
import type { Reflection } from './reference-model.fixture.ts'

/** The documentation site, built as `npm run docs` builds it. */
export interface BuiltSite {
  /** The folder that it was built into. */
  readonly folder: string
  /** The reference as data, which the pages are made of. */
  readonly reference: Reflection
  /** The address of its front page. */
  readonly url: string
  close(): Promise<void>
}

/** The path that it is published at. */
export const base = '/toolkit/'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** Builds the site and serves it as a static host does, with its own page for what does not exist. */
export async function openSite(): Promise<BuiltSite> {
  // Rejects with what was printed, if it ends with an error. Variables of vitest, such as BASE_URL, would be the site's.
  await promisify(execFile)(process.execPath, ['apps/site/main.ts', 'build'], {
    cwd: root,
    env: {},
    maxBuffer: 2 ** 26,
  })
  const folder = join(root, 'docs/site')
  const reference = JSON.parse(readFileSync(join(root, 'apps/site/.astro/reference.json'), 'utf8'))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname)
    const wanted = join(folder, normalize(path.startsWith(base) ? path.slice(base.length) : 'no such page'))
    const file = [wanted, join(wanted, 'index.html')].find(each => existsSync(each) && statSync(each).isFile())
    // What all pages load is loaded once.
    const caching = path.includes('/_astro/') ? 'max-age=3600' : 'no-cache'
    const shown = file ?? join(folder, '404.html')
    const headers = { 'content-type': types[extname(shown)] ?? 'text/plain', 'cache-control': caching }
    response.writeHead(file ? 200 : 404, headers).end(readFileSync(shown))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    folder,
    reference,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
