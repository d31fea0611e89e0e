import { createInterface } from 'node:readline'
import { signCallback } from '@lead-distribution/contract'
import { createSandboxClient } from '@lead-distribution/control-client'
import { startServer } from '@lead-distribution/sandbox'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { openReceiver, type Receiver, withStatus } from '../adapters/receiver.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { run } = launcher()
const { alone, cli, start, json, text, control } = sandboxCli()

/** A receiver on this machine, and what it answers. */
let receiver: Receiver
let answer: number

beforeEach(async () => {
  answer = 200
  receiver = await openReceiver(response => withStatus(answer)(response))
})
afterEach(() => receiver[Symbol.asyncDispose]())

/** Starts to listen, and waits until callbacks come. */
async function listening(...flags: string[]) {
  const { child, exit } = start('listen', '--forward-to', `${receiver.url}/callback?shop=1`, '--json', ...flags)
  const lines: { event: string; attempt: number; status?: number; error?: string }[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(JSON.parse(line)))
  await expect.poll(async () => (await control().show()).listener?.connected).toBe(true)
  return { child, exit, lines }
}

async function trigger(event: string): Promise<string> {
  const { lead_id } = await json<{ lead_id: string }>('submit')
  await control().leads.trigger(lead_id, { event })
  return lead_id
}

const callbackUrl = 'http://127.0.0.1:9/taken'

it("has the receiver's response decide, signed for the receiver, until Ctrl-C", async () => {
  await control().clock.freeze()
  const { publisher } = await control().update({
    callback_url: callbackUrl,
    settings: { callback_signature: 'standard_webhooks', callback_retries: ['PT1M', 'PT1H'] },
  })
  const { child, exit, lines } = await listening()
  answer = 503
  const lead_id = await trigger('approved')
  await expect.poll(async () => (await control().callbacks.list()).callbacks[0]?.attempts.length).toBe(1)
  expect((await control().clock.advance({ by: 'PT1M' })).executed).toBe(1)
  answer = 200
  expect((await control().clock.advance({ by: 'PT1H' })).executed).toBe(1)
  expect(lines.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 503],
    [2, 503],
    [3, 200],
  ])
  const { target, headers } = receiver.received[2] ?? expect.fail()
  expect(target).toBe(`/callback?shop=1&lead_id=${lead_id}&event=loan_issued`)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  const signed = { secret: publisher.callback_secret, id: `${id}`, timestamp: `${timestamp}`, target }
  expect(signature).toBe(await signCallback(signed))
  const { attempts } = await json<{ attempts: { status: number }[] }>('callbacks', 'wait', '--lead', lead_id)
  expect(attempts.map(({ status }) => status)).toEqual([503, 503, 200])
  child.kill('SIGINT')
  expect(await exit).toMatchObject({ code: 0, stderr: '' })
  const account = await control().show()
  expect([account.publisher, account.listener]).toEqual([publisher, undefined])
})

it('first forwards what was sent before, goes on over a reset, and reports a receiver that is not there', async () => {
  await trigger('approved')
  await expect.poll(async () => (await control().callbacks.list({ state: 'delivered' })).callbacks.length).toBe(1)
  const { child, exit, lines } = await listening('--since', '1h')
  await expect.poll(() => lines.map(({ attempt, status }) => [attempt, status])).toEqual([[2, 200]])
  await json('reset')
  await receiver[Symbol.asyncDispose]()
  await trigger('approved')
  await expect.poll(() => lines[1]).toMatchObject({ attempt: 1, error: 'connection refused' })
  child.kill('SIGTERM')
  expect(await exit).toMatchObject({ code: 0, stderr: '' })
})

it('leaves the callbacks held when it is killed, until it is ended', async () => {
  const { child } = await listening()
  child.kill('SIGKILL')
  await expect.poll(async () => (await control().show()).listener?.connected, { timeout: 10_000 }).toBe(false)
  const lead_id = await trigger('approved')
  expect(await text('callbacks', 'list')).toContain('held until a listener is connected')
  expect(await text('tenants', 'show')).toContain('not connected: callbacks are held')
  await json('listen', '--end')
  await text('callbacks', 'wait', '--lead', lead_id)
  expect((await control().inbox.show()).callbacks).toHaveLength(1)
  const { code, stderr } = await cli(['listen', '--end'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('has no listener')])
})

it('ends if another command ends it, or if one is connected already', async () => {
  const { exit } = await listening()
  const { code, stderr } = await cli(['listen', '--forward-to', receiver.url])
  expect([code, stderr]).toEqual([1, expect.stringContaining('lead-sandbox listen --end')])
  await json('listen', '--end')
  expect(await exit).toMatchObject({ code: 1, stderr: expect.stringContaining('The listener was ended') })
})

it('reconnects to a restarted sandbox that has forgotten it', async () => {
  const first = await startServer({ port: 0, logLevel: 'silent' })
  const { child, exit } = run('listen', '--forward-to', receiver.url, '--sandbox', first.url)
  const connected = () =>
    expect.poll(async () => (await demo().show()).listener?.connected, { timeout: 20_000 }).toBe(true)
  const demo = () => createSandboxClient({ baseUrl: first.url }).control('demo')
  await connected()
  await first.close()
  const again = await startServer({ port: Number(new URL(first.url).port), logLevel: 'silent' })
  onTestFinished(() => again.close())
  await connected()
  child.kill('SIGINT')
  expect(await exit).toMatchObject({ code: 0, stderr: '' })
})

it('ends if nobody reads its output', async () => {
  const { child, exit } = await listening()
  child.stdout.destroy()
  await trigger('approved')
  expect(await exit).toMatchObject({ code: 0 })
  expect((await control().show()).listener).toBeUndefined()
})

it.each([
  ['http://qa.example/', 'names qa.example, which is not this machine: add --allow-callback-host qa.example'],
  ['localhost:3000', 'must begin with http'],
])('forwards only to this machine unless a host is allowed by name: %s', async (url, says) => {
  const { code, stderr } = await cli(['listen', '--forward-to', url])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--forward-to ${says}`)])
})

it.each([
  ['http://qa.example:8080/cb', 'qa.example:8080'],
  ['http://QA.Example.:8080/cb', 'qa.example'],
  ['https://qa.example/cb', 'qa.example:443'],
  ['http://[fd00::5]:8080/cb', '[fd00:0::5]:8080'],
])('forwards to %s if %s is allowed', async (url, host) => {
  const flags = ['--allow-callback-host', host, '--sandbox', 'http://127.0.0.1:9']
  const { code, stderr } = await alone('listen', '--forward-to', url, ...flags)
  expect([code, stderr]).toEqual([1, expect.stringContaining('No sandbox responds at http://127.0.0.1:9')])
})

it('forwards only to the allowed port of a host', async () => {
  const { code, stderr } = await cli([
    'listen',
    '--forward-to',
    'http://qa.example:8081/cb',
    '--allow-callback-host',
    'qa.example:8080',
  ])
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --allow-callback-host qa.example')])
})

it('requires a receiver', async () => {
  const { code, stderr } = await cli(['listen'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--forward-to http://localhost:3000/callback')])
})
