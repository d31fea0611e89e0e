import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, type TestContext } from 'vitest'
import type { Door, OpenDoor } from './door.ts'
import { openExpressDoor } from './express-door.ts'
import { openMemoryDoor } from './memory-door.ts'
import { NotAtThisDoor, openMswDoor } from './msw-door.ts'

/** The doors that stand on a socket, by their names. */
export const doorsOnSockets: Readonly<Record<string, OpenDoor>> = { 'express + SQLite': openSqliteDoor }

/** Every door by its name. */
export const doors: Readonly<Record<string, OpenDoor>> = {
  memory: openMemoryDoor,
  ...doorsOnSockets,
  msw: openMswDoor,
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

/**
 * Runs the scenarios of a topic through every door. The door is open while they run. A test that makes a request which
 * cannot be made at a door is skipped there, and says why; the other doors show what it shows.
 */
export function atEveryDoor(topic: string, scenarios: (door: Door, name: string) => void): void {
  describe.each(Object.entries(doors))(`${topic}, through the door: %s`, (name, open) => {
    let opened: Door | undefined
    let test: TestContext | undefined
    const door = () => {
      if (!opened) throw new Error('The door is open within a test only.')
      return opened
    }
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened?.close())
    beforeEach(context => {
      test = context
    })
    scenarios(
      {
        get url() {
          return door().url
        },
        async request(...request) {
          try {
            return await door().request(...request)
          } catch (fault) {
            if (fault instanceof NotAtThisDoor) test?.skip(fault.message)
            throw fault
          }
        },
        close: async () => undefined,
      },
      name,
    )
  })
}
