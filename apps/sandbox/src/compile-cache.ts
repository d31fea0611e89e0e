import { lstatSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps the sources compiled from the first start on, which takes half of the time to ready. Node runs what it finds
 * there: the folder is this user's own, and not the one below `/tmp` that Node takes by itself. Nothing is kept where
 * there is no such folder.
 */
export function enableCompileCache(): void {
  const folder = privateFolder(() => process.env.XDG_CACHE_HOME || join(homedir(), '.cache'))
  if (folder !== undefined) module.enableCompileCache(folder)
}

/** A folder of the sandbox in another one, made where there is none; undefined where others may write in it. */
export function privateFolder(parent: () => string): string | undefined {
  try {
    const folder = join(parent(), 'lead-sandbox')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    // Windows knows neither; there the home folder is private.
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOwn ? folder : undefined
  } catch {
    return undefined
  }
}
