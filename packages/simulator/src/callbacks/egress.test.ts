import { expect, it } from 'vitest'
import type { CallbackResponse } from '../never-distribute/guarded-egress.ts'
import { createClosableEgress } from './egress.ts'

const outbound = { url: 'http://127.0.0.1:1/', headers: {}, timeoutMs: 1 }

/** An egress whose receiver responds when the test lets it. */
function slowReceiver() {
  const reply = Promise.withResolvers<CallbackResponse>()
  let sent = 0
  const egress = createClosableEgress({
    send: () => {
      sent += 1
      return reply.promise
    },
  })
  return {
    egress,
    answer: () => reply.resolve({ status: 200 }),
    sent: () => sent,
    send: () => egress.send(outbound),
  }
}

it('hands on what came back while it is open', async () => {
  const { send, answer } = slowReceiver()
  const sent = send()
  answer()
  expect(await sent).toEqual({ status: 200 })
})

it('ends what is under way when it is closed, and sends nothing until it is open again', async () => {
  const { egress, send, sent, answer } = slowReceiver()
  const underWay = send()
  await egress.closedWhile(async () => {
    expect(await underWay).toEqual({ error: expect.stringContaining('restored or reset') })
    expect(await send()).toEqual({ error: expect.stringContaining('restored or reset') })
    expect(sent()).toBe(1)
  })
  const after = send()
  answer()
  expect([await after, sent()]).toEqual([{ status: 200 }, 2])
})

it('opens again after what failed', async () => {
  const { egress, send, answer } = slowReceiver()
  await expect(egress.closedWhile(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  answer()
  expect(await send()).toEqual({ status: 200 })
})
