import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
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

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** Runs TypeDoc as `npm run docs` does. Rejects with what it printed, if it ends with a warning or an error. */
async function runTypeDoc(...args: string[]): Promise<void> {
  const typedoc = join(root, 'node_modules/.bin/typedoc')
  await promisify(execFile)(typedoc, ['--options', 'docs/typedoc.json', ...args], { cwd: root })
}

/** Builds the site and serves it below the path that it is published at, with its own page for what does not exist. */
export async function openSite(): Promise<BuiltSite> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-site-'))
  const { hostedBaseUrl } = JSON.parse(readFileSync(join(root, 'docs/typedoc.json'), 'utf8'))
  const base = new URL(hostedBaseUrl).pathname
  const json = join(folder, 'reference.json')
  await runTypeDoc('--out', folder, '--json', json)
  const reference = JSON.parse(readFileSync(json, 'utf8'))
  rmSync(json)
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname)
    const file = join(folder, normalize(path.startsWith(base) ? path.slice(base.length) || 'index.html' : '404.html'))
    const found = existsSync(file) && statSync(file).isFile()
    // What all pages load is loaded once.
    const caching = path.includes('/assets/') ? 'max-age=3600' : 'no-cache'
    const headers = { 'content-type': types[extname(file)] ?? 'text/plain', 'cache-control': caching }
    response.writeHead(found ? 200 : 404, headers).end(readFileSync(found ? file : join(folder, '404.html')))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    folder,
    reference,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
