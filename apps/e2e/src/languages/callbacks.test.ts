import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback, forgeTestCallbacks } from '@lead-distribution/publisher-sdk/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { openJourney } from '../guides/reader.fixture.ts'
import { canRun, type Program, programFolder, programsOf, type Running, start } from './programs.fixture.ts'

const programs = programsOf('callbacks.md')
const folder = programFolder(programs)
afterAll(() => folder.remove())
const journey = openJourney()

it('the page has a program for each of the four', () => {
  expect(programs.map(({ language }) => language)).toEqual(['php', 'python', 'java', 'sh'])
})

interface Receiver extends AsyncDisposable {
  readonly origin: string
  printed(): string
}

/** Starts a receiver as its page says; answers once it takes requests. */
async function openProgram(program: Program, env: Readonly<Record<string, string>>): Promise<Receiver> {
  if (program.language === 'sh') return openCgi(program, env)
  const port = String(await freePort())
  const args = program.language === 'php' ? ['-S', `127.0.0.1:${port}`, program.file] : [program.file, port]
  const running = start(folder.path, program, { args, env })
  const origin = `http://127.0.0.1:${port}`
  const listens = () =>
    fetch(origin).then(
      () => true,
      () => running.child.exitCode,
    )
  await expect.poll(listens).not.toBe(null)
  expect(running.child.exitCode, running.printed()).toBe(null)
  return { origin, printed: running.printed, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}

/** A server that runs a program for each request, by CGI. */
async function openCgi(program: Program, env: Readonly<Record<string, string>>): Promise<Receiver> {
  const runs: Running[] = []
  const server = createServer(async ({ method = '', url = '', headers }, response) => {
    const given = Object.entries(headers).map(([name, value]) => [
      `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
      String(value),
    ])
    const request = { REQUEST_METHOD: method, REQUEST_URI: url, QUERY_STRING: url.split('?')[1] ?? '' }
    const running = start(folder.path, program, { env: { ...env, ...Object.fromEntries(given), ...request } })
    runs.push(running)
    await once(running.child, 'close')
    const status = /^Status: (\d+)\r\n\r\n/m.exec(running.printed())?.[1]
    response.writeHead(Number(status ?? 500)).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    printed: () => runs.map(each => each.printed()).join('\n'),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const { secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks')

describe.each(programs.filter(canRun))('$file', program => {
  it('takes the signed callbacks of a sandbox, and refuses every forged one', async () => {
    const tenant = await journey.newTenant({ settings: { callback_signature: 'standard_webhooks' } })
    const { callback_secret: secret } = tenant.account.publisher
    await using receiver = await openProgram(program, { CALLBACK_SECRET: urlSecret, SIGNING_SECRET: secret })
    const url = `${receiver.origin}/callbacks/${urlSecret}`
    await tenant.change({ callback_url: url })
    const lead_id = await tenant.distributedLead()
    await tenant.pixel(lead_id, 'approved')
    expect(await tenant.settledCallbacks(lead_id)).toMatchObject([{ state: 'delivered', attempts: [{ status: 200 }] }])
    await expect.poll(receiver.printed).toContain(`loan_issued: ${lead_id}`)

    const forgeable = { url, urlSecret, secret, lead_id: crypto.randomUUID(), event: 'loan_paid' } as const
    for (const [flaw, forged] of Object.entries(await forgeTestCallbacks(forgeable))) {
      const { status } = await fetch(forged)
      expect(status >= 400 && status < 500, `${flaw}: ${status}`).toBe(true)
    }
    expect(receiver.printed()).not.toContain('loan_paid')
  })

  it('takes unsigned callbacks where it has no signing secret', async () => {
    await using receiver = await openProgram(program, { CALLBACK_SECRET: urlSecret })
    const callback = {
      url: `${receiver.origin}/callbacks/${urlSecret}`,
      lead_id: crypto.randomUUID(),
      event: 'approved',
    }
    expect((await fetch(await createTestCallback(callback))).status).toBe(200)
    await expect.poll(receiver.printed).toContain(`approved: ${callback.lead_id}`)
  })

  it('takes nothing where its own secret is missing', async () => {
    if (program.language === 'python' || program.language === 'java') {
      await using running = start(folder.path, program, { args: [program.file, '0'], env: { CALLBACK_SECRET: '' } })
      await once(running.child, 'close')
      expect(running.printed()).toContain('Set CALLBACK_SECRET')
      return
    }
    await using receiver = await openProgram(program, { CALLBACK_SECRET: '' })
    const url = `${receiver.origin}/callbacks/`
    const callback = await createTestCallback({ url, lead_id: crypto.randomUUID(), event: 'approved' })
    expect((await fetch(callback)).status).toBe(500)
  })
})
