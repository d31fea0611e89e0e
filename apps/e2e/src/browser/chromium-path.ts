import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import chromiumBinary from '@sparticuz/chromium'

/**
 * The path of the Chromium that an npm package ships. The package unpacks it into the folder for temporary files at
 * the first start, and takes a file that is there for a whole one: a second process has to wait until it is.
 */
export async function chromiumPath(): Promise<string> {
  const lock = join(tmpdir(), 'chromium-is-unpacked.lock')
  // A process that was killed while unpacking leaves its lock: nobody waits for it for ever.
  for (let tries = 0; tries < 600; tries++) {
    const taken = await open(lock, 'wx').catch(() => undefined)
    if (taken) {
      await taken.close()
      break
    }
    await pause(50)
  }
  try {
    return await chromiumBinary.executablePath()
  } finally {
    await rm(lock, { force: true })
  }
}
