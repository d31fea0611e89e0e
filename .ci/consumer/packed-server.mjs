// The server as its users have it: what `npm install` brings with it, and whether the packed command starts on each Node and
// serves its pages, whose files are copied and built into the package.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execute, reject } from '../run-checks.mjs'
import { createProject } from './project.mjs'

const name = '@lead-distribution/sandbox'
/** The maximum number of third-party packages that come with the server. More need a reason in the decisions. */
const mostPackages = 95

/** A check of the packed server. */
export function packedServerCheck({ out, tarballs, nodes }) {
  return {
    name: 'the packed server',
    async run() {
      const files = Object.fromEntries(Object.entries(tarballs).map(([each, path]) => [each, `file:${path}`]))
      const { [name]: server, ...overrides } = files
      const folder = await createProject(join(out, 'server'), { dependencies: { [name]: server }, overrides })
      const { stdout } = await execute('npm', ['ls', '--all', '--parseable'], { cwd: folder })
      const packages = new Set(stdout.split('\n').filter(path => /node_modules.(?!@lead-distribution)/.test(path)))
      const main = join(folder, 'node_modules', name, 'dist', 'main.js')
      reject([
        ...(packages.size > mostPackages
          ? [`${packages.size} packages come with it, at most ${mostPackages} may.`]
          : []),
        ...(await missingDriver(main)),
        ...(await Promise.all((await nodes()).map(node => missingFiles(node, main)))).flat(),
      ])
      return `${packages.size} packages come with it; its pages are there on Node 22, 24 and 26`
    },
  }
}

/** The pages of a packed server, which name the files that they load. */
const pages = ['/_sandbox/docs', '/_sandbox/']

/** The files of its pages that a packed server on a Node does not serve. */
async function missingFiles(node, main) {
  const child = spawn(node, [main, 'start', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const { url } = JSON.parse(line)
    const missing = await Promise.all(pages.map(path => missingOf(new URL(path, url))))
    return missing.flat()
  } finally {
    child.kill()
  }
}

/** Without the driver, which is an optional peer, a PostgreSQL database is refused with what to do. */
async function missingDriver(main) {
  const args = [main, 'start', '--port', '0', '--data', 'postgres://h/d']
  const failed = await execute(process.execPath, args, { shell: false }).catch(error => error)
  return failed.stderr?.includes('npm install pg') ? [] : ['it does not name the driver that PostgreSQL needs.']
}

/** The files that a page loads and the server does not serve. */
async function missingOf(page) {
  const html = await (await fetch(page, { headers: { accept: 'text/html' } })).text()
  const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
  if (paths.length === 0) return [`its page ${page.pathname} loads no file.`]
  const statuses = await Promise.all(paths.map(async path => (await fetch(new URL(path, page))).status))
  return paths.filter((_, index) => statuses[index] !== 200).map(path => `it does not serve ${path}.`)
}
