// The smoke program in a page of a real browser, bundled from the installed packages, under a policy that allows
// scripts of its own origin only and no code made from text.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import { reject } from '../run-checks.mjs'

export const notChecked = 'NOT CHECKED: no npm package ships a Chromium for this machine'

/**
 * Runs a program of the project in a page until the page has ended: what it came to, and what the browser complained
 * about. Undefined where there is no browser: a developer's machine may lack it, CI may not.
 */
export async function runInBrowser({ folder, settings, services }) {
  // Type stripping makes the tests' own way to a browser importable here.
  const { hasBrowser, openBrowser, openPage } = await import('../../apps/e2e/src/browser/open-browser.ts')
  if (!hasBrowser) {
    if (process.env.CI) throw new Error('No npm package ships a Chromium for this machine.')
    return undefined
  }
  const pages = await servePage(await bundled(folder), settings, services)
  // The server of HTTP/2 has a certificate that it signed itself.
  const browser = await openBrowser(['--ignore-certificate-errors'])
  try {
    const { page, complaints } = await openPage(browser, pages.origin)
    await page.goto(pages.origin)
    const ended = await page
      .locator('body[data-ended]')
      .getAttribute('data-ended')
      .catch(() => '{ "failure": "The page did not finish." }')
    return { ended: JSON.parse(ended), complaints, policy: pages.policy, version: browser.version() }
  } finally {
    await browser.close()
    await pages.stop()
  }
}

const html = settings => `<!doctype html><title>smoke</title>
<body data-settings="${JSON.stringify(settings).replaceAll('"', '&quot;')}"><script type="module" src="/page.js"></script>`

/** A check of headless Chromium, which an npm package brings for Linux on x64. */
export function browserCheck({ sdkProject, server }) {
  return {
    name: 'Chromium',
    async run() {
      const settings = server.smokeSettings('chromium')
      const { folder } = await sdkProject()
      const ran = await runInBrowser({ folder, settings, services: [settings.service] })
      if (!ran) return notChecked
      const { held, failure } = ran.ended
      // The browser reports the refused call, too.
      reject([failure, ...ran.complaints.filter(text => !text.startsWith('Failed to load resource:'))].filter(Boolean))
      return `${ran.version}; ${held} things hold under ${ran.policy.split(';')[1].trim()}`
    },
  }
}

async function bundled(folder) {
  const options = { bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022' }
  const entry = { entryPoints: [join(folder, 'page.ts')], absWorkingDir: folder, logLevel: 'silent' }
  const { outputFiles } = await build({ ...options, ...entry })
  return outputFiles[0].text
}

/** Serves the page. The service has another origin, as in production. */
async function servePage(script, settings, addresses) {
  const services = addresses.map(address => new URL(address).origin).join(' ')
  const policy = `default-src 'none'; script-src 'self'; connect-src ${services}; require-trusted-types-for 'script'`
  const server = createServer((request, response) => {
    if (request.url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(script)
    const found = request.url === '/'
    response.writeHead(found ? 200 : 204, { 'content-type': 'text/html', 'content-security-policy': policy })
    response.end(found ? html(settings) : '')
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = () => new Promise(resolve => server.close(resolve).closeAllConnections())
  return { origin: `http://127.0.0.1:${server.address().port}`, policy, stop }
}
