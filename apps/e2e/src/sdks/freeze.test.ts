import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { calls } from './calls.fixture.ts'
import { injected, lead } from './injected.fixture.ts'
import { replies } from './steps.fixture.ts'
import { startWireServer } from './wire-server.fixture.ts'

// It polls for its next task with a timer, because timers run before pending network events, such as the end of a
// connection.
const program = `
  import { existsSync } from 'node:fs'
  import { setTimeout } from 'node:timers/promises'
  import { createPublisher } from '@lead-distribution/publisher-sdk'
  const publisher = createPublisher({ keepAlive: false })
  for (let task = 0; ; task += 1) {
    while (!existsSync(process.argv[1] + '/' + task)) await setTimeout(1)
    const { outcome } = await publisher.submit(${JSON.stringify(lead)}).catch(error => ({ outcome: error.code }))
    console.log(outcome)
  }`

/** Starts a process that submits a lead for each call of `submit`, and waits for its outcome. */
function startSubmitter(baseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'freeze-'))
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', program, folder], {
    cwd: `${root}/apps/e2e`,
    env: { ...process.env, LEAD_BASE_URL: baseUrl, LEAD_PUBLISHER_API_KEY: injected.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true })
  })
  const outcomes = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[Symbol.asyncIterator]()
  let tasks = 0
  return {
    /** Gives the process a lead, also while it is frozen. */
    give: () => writeFileSync(join(folder, String(tasks++)), ''),
    outcome: async () => (await outcomes.next()).value as string,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  }
}

it.skipIf(process.platform === 'win32')(
  'loses no reply if the host freezes the process and the server closes its connections in the meantime',
  { timeout: 60_000 },
  async () => {
    const server = await startWireServer(replies(200, calls.submit.fine))
    const process = startSubmitter(server.baseUrl)
    const seen: string[] = []
    for (let round = 0; round < 4; round += 1) {
      process.give()
      seen.push(await process.outcome())
      process.freeze()
      server.hangUp()
      process.give()
      process.thaw()
      seen.push(await process.outcome())
    }
    expect(seen).toEqual(Array(8).fill('new'))
    expect(server.reached).toHaveLength(8)
  },
)
