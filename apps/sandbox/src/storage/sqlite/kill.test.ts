import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFile, tenantRecord } from '../contract/adapters.test.kit.ts'
import { openSqliteStorage } from '../sqlite-storage.ts'

const child = fileURLToPath(new URL('../contract/committing-child.test.kit.ts', import.meta.url))

/** Runs the child until it has printed so many lines, kills it, and answers all that it printed. */
async function acknowledgedBeforeKill(file: string, lines: number): Promise<string[]> {
  const running = spawn(process.execPath, [child, file], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void running.kill('SIGKILL'))
  let printed = ''
  let noise = ''
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.split('\n').length > lines) running.kill('SIGKILL')
  })
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    noise += text
  })
  const [, signal] = await once(running, 'close')
  expect({ signal, noise }).toEqual({ signal: 'SIGKILL', noise: '' })
  return printed.split('\n').slice(0, -1)
}

it.each([50, 500, 5_000])('keeps every acknowledged lead with its claim when it is killed after %d', async lines => {
  const file = temporaryFile()
  const made = await openSqliteStorage(file)
  await made.addTenant(tenantRecord('t1'))
  await made.close()

  const acknowledged = await acknowledgedBeforeKill(file, lines)
  expect(acknowledged.length).toBeGreaterThanOrEqual(lines)

  const storage = await openSqliteStorage(file)
  onTestFinished(() => storage.close())
  await storage.of('t1').transact(async tables => {
    const next = Array.from({ length: 16 }, (_, loop) => {
      const count = acknowledged.filter(id => id.startsWith(`${loop}-`)).length
      return `${loop}-${count}`
    })
    const there = async (id: string) => {
      const lead = await tables.findLead(id)
      const customer = await tables.findCustomer('p1', `${id}@example.com`)
      expect(customer?.lead_id).toBe(lead?.lead_id)
      return lead !== undefined
    }
    for (const id of acknowledged) expect(await there(id)).toBe(true)
    for (const id of next) await there(id)
  })
})
