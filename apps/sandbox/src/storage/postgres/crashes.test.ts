import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { type Account, createSandboxClient } from '@lead-distribution/control-client'
import { leadToken } from '@lead-distribution/engine'
import { expect, it, onTestFinished } from 'vitest'
import { query } from './database.fixture.ts'
import { startPostgres } from './server.fixture.ts'

const [leads, clients, servers, killEveryMs] = [1_000, 32, 3, 1_000]

/** Numbers from 0 up to but not 1, the same ones for a seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Servers in processes of their own over one database; `kill` kills one and starts another in its place. */
async function startServers(data: string, random: () => number) {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
  const running: (ChildProcess | undefined)[] = []
  const urls: (string | undefined)[] = []
  onTestFinished(() => {
    for (const child of running) child?.kill('SIGKILL')
  })

  async function start(place: number): Promise<void> {
    const child = spawn(process.execPath, [main, 'start', '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LEAD_SANDBOX_DATA: data },
    })
    running[place] = child
    const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')])
    // While the database restarts none can start.
    if (typeof line[0] !== 'string') return start(place)
    urls[place] = JSON.parse(line[0]).url
  }

  await Promise.all(Array.from({ length: servers }, (_, place) => start(place)))
  return {
    /** One that runs, or ran a moment ago. */
    async any(): Promise<string> {
      for (;;) {
        const up = urls.filter(url => url !== undefined)
        const url = up[Math.floor(random() * up.length)]
        if (url !== undefined) return url
        await wait(50)
      }
    },
    async kill(): Promise<void> {
      const place = Math.floor(random() * servers)
      urls[place] = undefined
      running[place]?.kill('SIGKILL')
      await start(place)
    },
  }
}

/** A receiver of callbacks, and what it received: `lead event`. */
async function openReceiver() {
  const received = new Set<string>()
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://receiver')
    received.add(`${searchParams.get('lead_id')} ${searchParams.get('event')}`)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received }
}

/** Sends until it is answered by a server that could do it; resolves to the JSON of the answer. */
async function send(any: () => Promise<string>, path: string, request?: RequestInit) {
  for (;;) {
    const response = await fetch(`${await any()}${path}`, request).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (response && text !== undefined && response.status !== 503) {
      expect([response.status, text]).toEqual([200, expect.any(String)])
      return JSON.parse(text)
    }
    await wait(50)
  }
}

/** A lead as a client was answered. */
interface Answered {
  readonly email: string
  readonly lead_id?: string
  readonly status: string
}

/** Submits leads from many clients, a tenth of them of customers that were submitted before, and reports on each. */
async function submitAll(any: () => Promise<string>, account: Account, random: () => number): Promise<Answered[]> {
  const create = createTestLeads(account)
  const waiting = Array.from(
    { length: leads },
    (_, n) => `c${n < leads * 0.9 ? n : Math.floor(random() * leads * 0.9)}`,
  )
  waiting.sort(() => random() - 0.5)
  const answered: Answered[] = []
  const client = async () => {
    for (let name = waiting.pop(); name; name = waiting.pop()) {
      const email = `${name}@example.net`
      const lead = create.distributed()
      lead.customer.contact.email.address = email
      const headers = { 'content-type': 'application/json', apikey: account.publisher.api_key }
      const answer = await send(any, '/api/v1/lead', { method: 'POST', headers, body: JSON.stringify(lead) })
      answered.push({ ...answer, email })
      if (answer.status !== 'distributed') continue
      const advertiser_id = new URL(answer.redirect_url).pathname.split('/').at(-1)
      const advertiser = account.advertisers.find(each => each.advertiser_id === advertiser_id) ?? expect.fail()
      const token = await leadToken({ ...advertiser, lead_id: answer.lead_id }, account.settings.token_format)
      await send(any, `/api/v1/lead/${answer.lead_id}/status?token=${token}&event=approved`)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return answered
}

it('loses and doubles nothing while processes are killed and the database restarts', async ({ annotate }) => {
  const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
  await annotate(`CRASH_SEED=${seed}`)
  const random = randomOf(seed)
  const database = await startPostgres()
  onTestFinished(database.end)
  const { any, kill } = await startServers(database.url, random)
  const receiver = await openReceiver()
  const { account } = await createSandboxClient({ baseUrl: await any() }).createTenant({
    name: 'crashes',
    callback_url: receiver.url,
    settings: { callback_timeout: 'PT2S', callback_event_names: 'as_reported' },
  })

  let going = true
  const crashes = (async () => {
    for (let kills = 1; going; kills++) {
      await wait(killEveryMs)
      if (kills === 2) await database.stop().then(database.start)
      await kill()
    }
  })()
  const answered = await submitAll(any, account, random)
  going = false
  await crashes

  const rows = (sql: string) => query(sql, database.url)
  const stored = await rows(`select lead_id, email, status from leads`)
  const byId = new Map(stored.map(row => [row.lead_id, row]))
  for (const { lead_id, email, status } of answered)
    if (lead_id !== undefined) expect(byId.get(lead_id), `seed ${seed}`).toEqual({ lead_id, email, status })
  const accepted = stored.filter(({ status }) => status !== 'rejected').map(({ email }) => email)
  expect(new Set(accepted).size, `seed ${seed}`).toBe(accepted.length)
  expect(accepted, `seed ${seed}`).toHaveLength(leads * 0.9)

  const recorded = (await rows('select lead_id, event from events')).map(({ lead_id, event }) => `${lead_id} ${event}`)
  // A server that died in a delivery leaves its lease: it ends after some seconds.
  await expect.poll(() => receiver.received.size, { message: `seed ${seed}` }).toBe(recorded.length)
  expect([...receiver.received].sort(), `seed ${seed}`).toEqual(recorded.sort())
  expect((await rows(`select count(*)::int as pending from callbacks where state = 'failed'`))[0]?.pending).toBe(0)
})
