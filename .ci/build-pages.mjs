// Builds the console (`apps/console`) into `apps/sandbox/console`, from where the sandbox serves it. Does nothing if its
// sources have not changed since: then it takes milliseconds, so that `npm start` can always call it. With `--reference` it
// also copies what the reference page loads, which is a library in this workspace and a part of the package elsewhere.
import { createHash } from 'node:crypto'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const app = join(root, 'apps/console')
const stamp = join(root, 'apps/sandbox/console/.built-from')

/** The sources of the console: its files, the packages that are bundled into it, and the versions of libraries. */
const sources = [
  'apps/console/{index.html,package.json,vite.config.ts,src/**}',
  'packages/{contract,control-client,simulator}/src/**/*.ts',
  'pnpm-lock.yaml',
]

if (hashOfSources() !== builtFrom()) await alone(build)
if (process.argv.includes('--reference')) copyReference()

async function build() {
  const from = hashOfSources()
  // Another process may have built it meanwhile.
  if (from === builtFrom()) return
  const vite = await import(pathToFileURL(createRequire(join(app, 'package.json')).resolve('vite')).href)
  // A test that builds runs in another mode, in which React is three times as large.
  process.env.NODE_ENV = 'production'
  const start = performance.now()
  await vite.build({ configFile: join(app, 'vite.config.ts'), logLevel: 'warn' })
  writeFileSync(stamp, from)
  console.error(`Built the console in ${((performance.now() - start) / 1000).toFixed(1)} s.`)
}

/** Runs a build while no other process does. A lock that is older than any build was left by a process that was killed. */
async function alone(run) {
  const lock = join(root, 'node_modules/.console-lock')
  for (;;)
    try {
      mkdirSync(lock)
      break
    } catch {
      const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {}
      if (Date.now() - mtimeMs > 120_000) rmSync(lock, { recursive: true, force: true })
      else await wait(100)
    }
  try {
    await run()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** Copies the files of Swagger UI that the reference page loads, with their licence: users install none of its packages. */
function copyReference() {
  const sandbox = join(root, 'apps/sandbox')
  const source = dirname(
    createRequire(join(sandbox, 'package.json')).resolve('@fastify/swagger-ui/static/swagger-ui.css'),
  )
  for (const file of ['favicon-32x32.png', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'])
    copyFileSync(join(source, file), join(sandbox, 'reference', file))
}

function hashOfSources() {
  const hash = createHash('sha256')
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.includes('.test.'))
    .map(entry => join(entry.parentPath, entry.name))
  for (const file of files.sort())
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function builtFrom() {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return undefined
  }
}
