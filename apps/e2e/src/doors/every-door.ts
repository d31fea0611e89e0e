import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { root } from '../house/root.ts'
import type { Door, OpenDoor } from './door.ts'
import { openExpressDoor } from './express-door.ts'
import { openMemoryDoor } from './memory-door.ts'

/** Whether there is a SQLite storage to open a door over. */
export const hasSqlite = existsSync(join(root, 'apps/sandbox/src/storage/sqlite-storage.ts'))

/** Every door by its name. */
export const doors: Readonly<Record<string, OpenDoor>> = {
  memory: openMemoryDoor,
  express: openExpressDoor,
  ...(hasSqlite ? { 'express + SQLite': openSqliteDoor } : {}),
}

/** A server over a SQLite file of its own, which is gone with it. */
async function openSqliteDoor(): Promise<Door> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-e2e-'))
  const door = await openExpressDoor({ data: join(folder, 'sandbox.db') })
  return {
    ...door,
    async close() {
      await door.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs the scenarios of a topic through every door. The door is open while they run. */
export function atEveryDoor(topic: string, scenarios: (door: Door, name: string) => void): void {
  describe.each(Object.entries(doors))(`${topic}, through the door: %s`, (name, open) => {
    let opened: Door | undefined
    const door = () => {
      if (!opened) throw new Error('The door is open within a test only.')
      return opened
    }
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened?.close())
    scenarios(
      {
        get url() {
          return door().url
        },
        request: (...request) => door().request(...request),
        close: async () => undefined,
      },
      name,
    )
  })
}
