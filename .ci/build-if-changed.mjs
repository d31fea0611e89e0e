// Builds something unless its sources are unchanged since the last build, in one process at a time.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export const root = dirname(import.meta.dirname)

/** Builds unless the stamp file, a path from the root, contains the sources' hash. Tests do not count as sources. */
export async function buildIfChanged(stamp, sources, build) {
  const isBuilt = () => readOf(join(root, stamp)) === hashOf(sources)
  if (isBuilt()) return
  const lock = join(root, 'node_modules', `.${stamp.replaceAll('/', '-')}.lock`)
  for (;;)
    try {
      mkdirSync(lock)
      break
    } catch {
      // A killed process left a lock that is older than any build.
      const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {}
      if (Date.now() - mtimeMs > 300_000) rmSync(lock, { recursive: true, force: true })
      else await wait(100)
    }
  try {
    // Another process may have built it in the meantime.
    if (isBuilt()) return
    const from = hashOf(sources)
    await build()
    writeFileSync(join(root, stamp), from)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function hashOf(sources) {
  const hash = createHash('sha256')
  const isSource = path => !path.includes('.test.') && statSync(join(root, path)).isFile()
  for (const path of globSync(sources, { cwd: root }).filter(isSource).sort())
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

function readOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
