import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signCallback } from '@lead-distribution/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sandboxCli } from './sandbox-cli.ts'

const { cli, start, json, control } = sandboxCli()

/** A receiver on this machine: what it got, and what it answers. */
let receiver: { url: string; got: { url: string; headers: Record<string, unknown> }[]; status: number; close(): void }

beforeEach(async () => {
  const got: (typeof receiver)['got'] = []
  const server = createServer((request, response) => {
    got.push({ url: request.url ?? '', headers: request.headers })
    response.writeHead(receiver.status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/callback?shop=1`
  receiver = { url, got, status: 200, close: () => server.close() && server.closeAllConnections() }
})
afterEach(() => receiver.close())

/** Starts to listen, and waits until callbacks come. */
async function listening(...flags: string[]) {
  const { child, exit } = start('listen', '--forward-to', receiver.url, '--json', ...flags)
  const lines: { event: string; status?: number; error?: string }[] = []
  let text = ''
  child.stdout.on('data', data => {
    text += data
    lines.splice(
      0,
      lines.length,
      ...text
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    )
  })
  await expect.poll(async () => (await control().show()).publisher.callback_url).toContain('/_sandbox/sink/')
  return { child, exit, lines }
}

const callbackUrl = 'http://127.0.0.1:9/taken'

it('forwards each delivery, signed for the receiver, reports its answer, and undoes the address on Ctrl-C', async () => {
  const { publisher } = await control().update({
    callback_url: callbackUrl,
    settings: { callback_signature: 'standard_webhooks' },
  })
  const { child, exit, lines } = await listening()
  const { lead_id } = await json<{ lead_id: string }>('submit')
  await control().leads.trigger(lead_id, { event: 'approved' })
  await expect.poll(() => receiver.got.length).toBe(1)
  const [{ url = '', headers = {} } = {}] = receiver.got
  expect(url).toBe(`/callback?shop=1&lead_id=${lead_id}&event=loan_issued`)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  const signed = { secret: publisher.callback_secret, id: `${id}`, timestamp: `${timestamp}`, target: url }
  expect(signature).toBe(await signCallback(signed))
  receiver.status = 503
  await control().leads.trigger(lead_id, { event: 'completed' })
  await expect.poll(() => lines.map(({ status }) => status)).toEqual([200, 503])
  expect((await control().callbacks.list()).callbacks.map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  child.kill('SIGINT')
  expect(await exit).toMatchObject({ code: 0, stderr: '' })
  expect((await control().show()).publisher).toEqual(publisher)
})

it('goes on over a reset, reports a receiver that is not there, and undoes the address on SIGTERM', async () => {
  await control().update({ callback_url: callbackUrl })
  const { child, exit, lines } = await listening()
  receiver.close()
  for (const [count] of [[1], [2]]) {
    const { lead_id } = await json<{ lead_id: string }>('submit')
    await control().leads.trigger(lead_id, { event: 'approved' })
    await expect.poll(() => lines.length).toBe(count)
    await json('reset')
  }
  expect(lines).toMatchObject([{ error: 'connection refused' }, {}])
  child.kill('SIGTERM')
  expect(await exit).toMatchObject({ code: 0, stderr: '' })
  expect((await control().show()).publisher.callback_url).toBe(callbackUrl)
})

it('undoes the address where nobody reads its output', async () => {
  await control().update({ callback_url: callbackUrl })
  const { child, exit } = await listening()
  child.stdout.destroy()
  const { lead_id } = await json<{ lead_id: string }>('submit')
  await control().leads.trigger(lead_id, { event: 'approved' })
  expect(await exit).toMatchObject({ code: 0 })
  expect((await control().show()).publisher.callback_url).toBe(callbackUrl)
})

it.each([
  ['http://qa.example/', 'goes to qa.example, which is not this machine: add --allow-callback-host qa.example'],
  ['localhost:3000', 'must begin with http'],
])('forwards to this machine alone, unless a host is allowed by name: %s', async (url, says) => {
  const { code, stderr } = await cli(['listen', '--forward-to', url])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--forward-to ${says}`)])
})
