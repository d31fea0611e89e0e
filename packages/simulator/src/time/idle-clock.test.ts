import { expect, it } from 'vitest'
import { egressByHand, handMadeTime } from '../ports.fixture.ts'
import { createSandbox } from '../sandbox.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'

it('costs nothing while it runs idle: no timer waits, however it was moved before', async () => {
  const time = handMadeTime()
  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: time.clock,
    timer: time.timer,
    entropy: { bytes: count => new Uint8Array(count).fill(1) },
    dialer: { get: egressByHand().send, close: () => undefined },
    origin: 'http://127.0.0.1:4010',
    access: {},
    allowedCallbackHosts: [],
    onError: fault => expect.fail(String(fault)),
  })
  const post = async (path: string, body: object) => {
    const reply = await sandbox.handle({
      method: 'POST',
      target: `/_sandbox/v1/tenants${path}`,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(body)),
    })
    expect([200, 201]).toContain(reply.status)
  }
  await post('', { name: 'qa', settings: { lifecycle: [{ event: 'approved', after: 'P30D' }] } })
  for (const body of [{ freeze: true }, { resume: true }, { set: '2027-01-01T00:00:00Z' }])
    await post('/qa/clock', body)
  await post('/qa/clock/advance', { by: 'P1D' })
  await time.advance(60_000)
  expect(time.waiting()).toBe(0)
  await sandbox.close()
})
