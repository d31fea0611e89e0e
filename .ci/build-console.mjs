// Builds the console (`apps/console`) into `apps/sandbox/console`, from where the sandbox serves it. Does nothing where
// what it is built from has not changed since: then it takes milliseconds, so that `npm start` can always call it.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const app = join(root, 'apps/console')
const stamp = join(root, 'apps/sandbox/console/.built-from')

/** What the console is built from: its files, the packages that are bundled into it, and the versions of libraries. */
const sources = [
  'apps/console/{index.html,package.json,vite.config.ts,src/**}',
  'packages/{contract,control-client,simulator,test-leads}/src/**/*.ts',
  'pnpm-lock.yaml',
]

const from = hashOfSources()
if (from !== builtFrom()) {
  const { build } = await import(pathToFileURL(createRequire(join(app, 'package.json')).resolve('vite')).href)
  // A test that builds runs in another mode, in which React is three times as large.
  process.env.NODE_ENV = 'production'
  const start = performance.now()
  await build({ configFile: join(app, 'vite.config.ts'), logLevel: 'warn' })
  writeFileSync(stamp, from)
  console.error(`Built the console in ${((performance.now() - start) / 1000).toFixed(1)} s.`)
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
