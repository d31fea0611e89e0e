import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { forgeCallbacks } from '@lead-distribution/contract/forged-callbacks'
import { createCallbackReceiver, createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { expect, it } from 'vitest'
import { listenInTest } from '../adapters/receiver.ts'
import {
  describePrograms,
  type OpenServer,
  openJourney,
  openServer,
  type Program,
  type Running,
  start,
} from './programs.fixture.ts'

const journey = openJourney()

/** Starts a receiver as its page describes. */
function openProgram(program: Program, env: Readonly<Record<string, string>>): Promise<OpenServer> {
  if (program.language === 'sh') return openCgi(program, env)
  return openServer(program, port => ({
    args: program.language === 'php' ? ['-S', `127.0.0.1:${port}`, program.name] : [program.name, port],
    env,
  }))
}

/** A server that runs a program for each request through CGI. */
async function openCgi(program: Program, env: Readonly<Record<string, string>>): Promise<OpenServer> {
  const runs: Running[] = []
  const server = createServer(async ({ method = '', url = '', headers }, response) => {
    const given = Object.entries(headers).map(([name, value]) => [
      `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
      String(value),
    ])
    const request = { REQUEST_METHOD: method, REQUEST_URI: url, QUERY_STRING: url.split('?')[1] ?? '' }
    const running = start(program, { env: { ...env, ...Object.fromEntries(given), ...request } })
    runs.push(running)
    await once(running.child, 'close')
    const status = /^Status: (\d+)\r\n\r\n/m.exec(running.printed())?.[1]
    response.writeHead(Number(status ?? 500)).end()
  })
  return { origin: await listenInTest(server), printed: () => runs.map(each => each.printed()).join('\n') }
}

const { secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks')

const oddLead = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const query = `lead_id=${oddLead}&event=approved`

/** Requests of a callback URL, and the status that each receiver responds with. */
const odd: readonly (readonly [status: number, target: string, method?: string])[] = [
  ...['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].map(
    method => [405, `${urlSecret}?${query}`, method] as const,
  ),
  [404, `${urlSecret}0?${query}`, 'HEAD'],
  [404, `${urlSecret}0?${query}`],
  [404, `${urlSecret}//?${query}`],
  [404, `${urlSecret}%2F?${query}`],
  [405, `${urlSecret}/?${query}`, 'POST'],
  [404, `/?${query}`],
  [404, `${urlSecret}/x?${query}`],
  [404, `${urlSecret}.php?${query}`],
  [404, `%${urlSecret.charCodeAt(0).toString(16)}${urlSecret.slice(1)}?${query}`],
  [404, `?${query}&secret=${urlSecret}`],
  [404, `?${query}/${urlSecret}`],
  [400, urlSecret],
  [400, `${urlSecret}?`],
  [400, `${urlSecret}?${query}&lead_id=${oddLead}`],
  [400, `${urlSecret}?${query}&%6Cead_id=${crypto.randomUUID()}`],
  [400, `${urlSecret}?%65vent=approved&${query}`],
  [400, `${urlSecret}?${query}&lead_id`],
  [400, `${urlSecret}?tag=a&tag=b&${query}&event=approved`],
  [400, `${urlSecret}/?tag=a&tag=b`],
  [400, `${urlSecret}?lead_id=&event=approved`],
  [400, `${urlSecret}?lead_id=${oddLead}%0A&event=approved`],
  [400, `${urlSecret}?lead_id=${oddLead}&event=`],
  [400, `${urlSecret}?lead_id=${oddLead}&event=a%0Aloan_paid:%20x`],
  [400, `${urlSecret}?lead_id=${oddLead}&event=${'a'.repeat(101)}`],
  [400, `${urlSecret}?lead_id=${oddLead}%09a&event=approved`],
  [200, `${urlSecret}?mine=a%20b+c&${query}`],
  [200, `${urlSecret}/?${query}`],
  [200, `${urlSecret}?tag=a&tag=b&${query}`],
  [200, `${urlSecret}?mine=1&${query}&m%69ne=1`],
  [200, `${urlSecret}?&&&${query}&&`],
  [200, `${urlSecret}?%6Cead_id=${oddLead}&event=%61pproved`],
  [200, `${urlSecret}?lead_id=${oddLead.toUpperCase()}&event=Another-Event+%C3%B1`],
  [200, `${urlSecret}?lead_id=${oddLead}&event=${'a'.repeat(100)}`],
]

/** Returns the statuses of odd requests. Does not use fetch, which would rewrite targets. */
async function statusesAt(origin: string) {
  const statuses: (readonly [number | undefined, string, string?])[] = []
  for (const [, target, ...method] of odd) {
    const sent = request(origin, { path: `/callbacks/${target}`, method: method[0] ?? 'GET', agent: false }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    statuses.push([response.statusCode, target, ...method])
  }
  return statuses
}

it("the SDK's receiver responds to odd requests like the programs", async () => {
  const receive = createCallbackReceiver({ verify: { urlSecrets: [urlSecret] }, handle: () => {} })
  expect(await statusesAt(await listenInTest(createServer(nodeCallbacks(receive))))).toEqual(odd)
})

describePrograms('callbacks.md', ['php', 'python', 'java', 'sh'], program => {
  it("accepts a sandbox's signed callbacks, and refuses forged ones", async () => {
    const tenant = await journey.newTenant({ settings: { callback_signature: 'standard_webhooks' } })
    const { callback_secret: secret } = tenant.account.publisher
    const receiver = await openProgram(program, { CALLBACK_SECRET: urlSecret, SIGNING_SECRET: secret })
    const url = `${receiver.origin}/callbacks/${urlSecret}`
    await tenant.change({ callback_url: url })
    const lead_id = await tenant.distributedLead()
    await tenant.pixel(lead_id, 'approved')
    expect(await tenant.settledCallbacks(lead_id)).toMatchObject([{ state: 'delivered', attempts: [{ status: 200 }] }])
    await expect.poll(receiver.printed).toContain(`loan_issued: ${lead_id}`)

    const forgeable = { url, urlSecret, secret, lead_id: crypto.randomUUID(), event: 'loan_paid' } as const
    for (const [flaw, forged] of Object.entries(await forgeCallbacks(forgeable))) {
      const { status } = await fetch(forged)
      expect(status >= 400 && status < 500, `${flaw}: ${status}`).toBe(true)
    }
    expect(receiver.printed()).not.toContain('loan_paid')
  })

  it('accepts unsigned callbacks if it has no signing secret', async () => {
    const receiver = await openProgram(program, { CALLBACK_SECRET: urlSecret })
    const callback = {
      url: `${receiver.origin}/callbacks/${urlSecret}`,
      lead_id: crypto.randomUUID(),
      event: 'approved',
    }
    expect((await fetch(await createTestCallback(callback))).status).toBe(200)
    await expect.poll(receiver.printed).toContain(`approved: ${callback.lead_id}`)
  })

  it('accepts nothing if its own secret is missing', async () => {
    if (program.language === 'python' || program.language === 'java') {
      await using running = start(program, { args: [program.name, '0'], env: { CALLBACK_SECRET: '' } })
      await once(running.child, 'close')
      expect(running.printed()).toContain('Set CALLBACK_SECRET')
      return
    }
    const receiver = await openProgram(program, { CALLBACK_SECRET: '' })
    const url = `${receiver.origin}/callbacks/`
    const callback = await createTestCallback({ url, lead_id: crypto.randomUUID(), event: 'approved' })
    expect((await fetch(callback)).status).toBe(500)
  })

  it("responds to odd requests like the SDK's receiver", async () => {
    const receiver = await openProgram(program, { CALLBACK_SECRET: urlSecret })
    expect(await statusesAt(receiver.origin)).toEqual(odd)
    expect(receiver.printed()).not.toContain(oddLead.toUpperCase())
  })
})
