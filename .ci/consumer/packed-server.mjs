// The server as its users have it: what `npm install` brings with it, how soon it is ready, and whether the packed
// command serves its pages, whose files are copied and built into the package.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, realpath, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { execute, reject } from '../run-checks.mjs'
import { createProject } from './project.mjs'

const name = '@lead-distribution/sandbox'
/** How many packages of others come with the server, at most. More of them need a reason in the decisions. */
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
      reject([
        ...(packages.size > mostPackages
          ? [`${packages.size} packages come with it, at most ${mostPackages} may.`]
          : []),
        ...(await missingFiles(folder)),
        ...(await missingDriver(folder)),
      ])
      const starts = []
      for (const file of await nodes()) starts.push(await coldStart(folder, file))
      const megabytes = Math.round((await sizeOf(join(folder, 'node_modules'))) / 1e6)
      return `${packages.size} packages come with it, ${megabytes} MB; its pages are there; ready after ${starts.join(', ')}`
    },
  }
}

/** The pages of a packed server, which name the files that they load. */
const pages = ['/_sandbox/docs', '/_sandbox/']

/** The files of its pages that a packed server does not serve. */
async function missingFiles(folder) {
  const main = join(folder, 'node_modules', name, 'dist', 'main.js')
  const child = spawn(process.execPath, [main, 'start', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
async function missingDriver(folder) {
  const args = [
    join(folder, 'node_modules', name, 'dist', 'main.js'),
    'start',
    '--port',
    '0',
    '--data',
    'postgres://h/d',
  ]
  const failed = await execute(process.execPath, args, { shell: false }).catch(error => error)
  return failed.stderr?.includes('npm install pg') ? [] : ['it does not name the driver that PostgreSQL needs.']
}

/** How long `npx @lead-distribution/sandbox start` takes until it serves, on one Node: at first and again, milliseconds. */
async function coldStart(folder, file) {
  const npx = await realpath((await execute('which', ['npx'])).stdout.trim())
  const start = async () => {
    const from = performance.now()
    const child = spawn(file, [npx, name, 'start', '--port', '0', '--json'], {
      cwd: folder,
      env: { ...process.env, PATH: `${dirname(file)}${delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      const [line] = await once(createInterface({ input: child.stdout }), 'line', {
        signal: AbortSignal.timeout(60_000),
      })
      const { url } = JSON.parse(line)
      await fetch(new URL('/_sandbox/health/ready', url))
      return Math.round(performance.now() - from)
    } finally {
      child.kill()
      await ended
    }
  }
  const { stdout } = await execute(file, ['--version'], { shell: false })
  const [first, again] = [await start(), await start()]
  return `${first} ms (${again} ms again) on Node ${stdout.trim()}`
}

/** The bytes of all files below a folder. */
async function sizeOf(folder) {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    files.filter(file => file.isFile()).map(async file => (await stat(join(file.parentPath, file.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The files that a page loads and the server does not serve. */
async function missingOf(page) {
  const html = await (await fetch(page, { headers: { accept: 'text/html' } })).text()
  const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
  if (paths.length === 0) return [`its page ${page.pathname} loads no file.`]
  const statuses = await Promise.all(paths.map(async path => (await fetch(new URL(path, page))).status))
  return paths.filter((_, index) => statuses[index] !== 200).map(path => `it does not serve ${path}.`)
}
