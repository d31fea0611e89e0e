import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { callbackParameter } from '../target.ts'
import { openCallbackListener } from './callback-listener.ts'

const lead = 'd1f5c1f2-7a0c-4d0e-9d55-0b6a7a1c2e01'

/** Sends a callback as a service does, without following redirects. */
async function send(url: string, event: string, lead_id = lead) {
  const reply = await fetch(`${url}&lead_id=${encodeURIComponent(lead_id)}&event=${event}`, { redirect: 'manual' })
  return { status: reply.status, location: reply.headers.get('location') }
}

it('records the attempts of each lead separately, in order of arrival', async () => {
  await using listener = await openCallbackListener()
  await send(listener.url, 'approved')
  await send(listener.url, 'rejected', 'another')
  const [callback, ...others] = listener.of(lead)
  expect([callback?.method, callback?.target, callback?.body, others]).toEqual([
    'GET',
    `/callbacks?source=conformance&lead_id=${lead}&event=approved`,
    '',
    [],
  ])
  expect(listener.of('nobody')).toEqual([])
})

it('waits for the first attempt of an event until the patience runs out', async () => {
  await using listener = await openCallbackListener({ patienceMs: 5000 })
  const waiting = listener.wait(lead, 'completed')
  await send(listener.url, 'approved')
  await send(listener.url, 'completed')
  const found = await waiting
  expect(found && callbackParameter(found, 'event')).toBe('completed')
  expect((await listener.wait(lead))?.target).toContain('event=approved')

  await using hasty = await openCallbackListener({ patienceMs: 1 })
  expect(await hasty.wait(lead)).toBeUndefined()
})

it("responds to a lead's attempts as configured, then with 200", async () => {
  await using listener = await openCallbackListener()
  listener.answer(lead, [500, 302])
  const answers = [await send(listener.url, 'a'), await send(listener.url, 'a', 'another')]
  answers.push(await send(listener.url, 'a'), await send(listener.url, 'a'))
  expect(answers).toEqual([
    { status: 500, location: null },
    { status: 200, location: null },
    { status: 302, location: `/elsewhere?lead_id=${lead}` },
    { status: 200, location: null },
  ])
})

it('redirects any lead_id', async () => {
  await using listener = await openCallbackListener()
  const odd = 'a\r\nb: c'
  listener.answer(odd, [301])
  expect(await send(listener.url, 'a', odd)).toEqual({ status: 301, location: '/elsewhere?lead_id=a%0D%0Ab%3A%20c' })
})

it('lets an attempt hang until the sender hangs up, and records the time', async () => {
  await using listener = await openCallbackListener()
  listener.answer(lead, ['hang'])
  const before = Date.now()
  const request = get(`${listener.url}&lead_id=${lead}&event=approved`).on('error', () => undefined)
  await listener.wait(lead)
  expect(listener.of(lead)[0]?.hungUpAt).toBeUndefined()
  request.destroy()
  await expect.poll(() => listener.of(lead)[0]?.hungUpAt).toBeGreaterThanOrEqual(before)
})

it('releases hanging attempts when new responses are set, without recording a hang-up', async () => {
  await using listener = await openCallbackListener()
  listener.answer(lead, ['hang'])
  const request = get(`${listener.url}&lead_id=${lead}&event=approved`)
  await listener.wait(lead)
  const answered = once(request, 'response')
  listener.answer(lead, [])
  const [reply] = (await answered) as [IncomingMessage]
  reply.resume()
  await once(reply, 'end')
  expect([reply.statusCode, listener.of(lead)[0]?.hungUpAt]).toEqual([200, undefined])
})

it('runs turns one after another, even after one fails', async () => {
  await using listener = await openCallbackListener()
  const done: string[] = []
  const turn = (name: string, waitFor: Promise<unknown>) => async () => {
    done.push(`${name} begins`)
    await waitFor
    done.push(`${name} ends`)
  }
  const first = listener.inTurn(turn('first', new Promise(resolve => setTimeout(resolve, 20))))
  const failing = listener.inTurn(() => Promise.reject(new Error('It fails.')))
  const last = listener.inTurn(turn('last', Promise.resolve()))
  await expect(failing).rejects.toThrow('It fails.')
  await Promise.all([first, last])
  expect(done).toEqual(['first begins', 'first ends', 'last begins', 'last ends'])
})

it('returns the URL that reaches it', async () => {
  const url = 'https://callbacks.example.com/a?b=c'
  await using listener = await openCallbackListener({ url })
  expect(listener.url).toBe(url)
})

it('rejects if its port is in use', async () => {
  await using listener = await openCallbackListener()
  await expect(openCallbackListener({ port: Number(new URL(listener.url).port) })).rejects.toThrow('EADDRINUSE')
})
