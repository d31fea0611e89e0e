import { createInterface } from 'node:readline'
import { signCallback } from '@lead-distribution/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openReceiver, type Receiver, withStatus } from '../adapters/receiver.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { cli, start, json, control } = sandboxCli()

/** A receiver on this machine, and what it answers. */
let receiver: Receiver
let answer: number

beforeEach(async () => {
  answer = 200
  receiver = await openReceiver(response => withStatus(answer)(response))
})
afterEach(() => receiver[Symbol.asyncDispose]())

/** Starts to listen, and waits until callbacks come. */
async function listening() {
  const { child, exit } = start('listen', '--forward-to', `${receiver.url}/callback?shop=1`, '--json')
  const lines: { event: string; status?: number; error?: string }[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(JSON.parse(line)))
  await expect.poll(async () => (await control().show()).publisher.callback_url).toContain('/_sandbox/inbox/')
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
  await expect.poll(() => receiver.received.length).toBe(1)
  const { target, headers } = receiver.received[0] ?? expect.fail()
  expect(target).toBe(`/callback?shop=1&lead_id=${lead_id}&event=loan_issued`)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  const signed = { secret: publisher.callback_secret, id: `${id}`, timestamp: `${timestamp}`, target }
  expect(signature).toBe(await signCallback(signed))
  answer = 503
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
  await receiver[Symbol.asyncDispose]()
  for (const count of [1, 2]) {
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
  ['http://qa.example/', 'names qa.example, which is not this machine: add --allow-callback-host qa.example'],
  ['localhost:3000', 'must begin with http'],
])('forwards to this machine alone, unless a host is allowed by name: %s', async (url, says) => {
  const { code, stderr } = await cli(['listen', '--forward-to', url])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--forward-to ${says}`)])
})
