import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type CallName, callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { type Fault, faults } from './faults.fixture.ts'
import { leaks } from './injected.fixture.ts'
import { replies } from './steps.fixture.ts'
import { startWireServer } from './wire-server.fixture.ts'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

async function meet(name: CallName, fault: Fault) {
  const server = await startWireServer(fault.step)
  const { client, events, steps } = clientOf(server.baseUrl, fault.timeoutMs ? { timeoutMs: fault.timeoutMs } : {})
  const { signal } = new AbortController()
  const before = timers()
  const error = await errorOf(calls[name].make({ client, options: { signal } }))
  const left = { timers: timers() - before, listeners: getEventListeners(signal, 'abort').length }
  return { server, error, events, steps, left }
}

/** The events of a call that ended so. */
function expectedEvents(attempts: number, replied: boolean): string[] {
  const each = Array.from({ length: attempts }, (_, index) => [
    `attempt ${index + 1}`,
    ...(replied ? [`reply ${index + 1}`] : []),
    `${index + 1 < attempts ? 'retry' : 'failure'} ${index + 1}`,
  ])
  return each.flat()
}

describe.each(callNames)('%s', name => {
  it.each(faults.map(fault => [fault.name, fault] as const))(
    'ends as the retry table says after %s',
    async (_, fault) => {
      const { server, error, events, steps, left } = await meet(name, fault)
      const { attempts, ...facts } = calls[name].once ? fault.submit : fault.repeatable
      expect(error).toMatchObject({ ...facts, meta: { attempts, callId: events[0]?.callId } })
      expect(server.reached).toHaveLength(attempts)
      expect(steps()).toEqual(expectedEvents(attempts, fault.replied))
      expect(events.at(-1)).toMatchObject({ type: 'failure', code: facts.code, sent: facts.sent })
      expect([...leaks(error), ...leaks(events)]).toEqual([])
      expect(left.listeners).toBe(0)
      // Those of the runtime and of the tests may go meanwhile.
      expect(left.timers).toBeLessThanOrEqual(0)
      // One connection may wait for the next call; none may hang on a reply that is never read.
      await expect.poll(server.open, { interval: 5, timeout: 5000 }).toBeLessThanOrEqual(fault.replied ? 1 : 0)
    },
  )

  it.each(
    faults
      .filter(fault => (calls[name].once ? fault.submit : fault.repeatable).attempts > 1)
      .map(fault => [fault.name, fault] as const),
  )('succeeds where the service comes back after %s', async (_, fault) => {
    const server = await startWireServer(fault.step, replies(200, calls[name].fine))
    // Longer than where no reply comes at all: here the second one must come in time on a busy machine too.
    const result = await calls[name].make({
      client: clientOf(server.baseUrl).client,
      options: fault.timeoutMs ? { timeoutMs: 1000 } : {},
    })
    expect(result.meta).toMatchObject({ status: 200, attempts: 2 })
    expect(server.reached).toHaveLength(2)
  })

  it('is not tried again where maxRetries is 0, whatever the fault', async () => {
    for (const step of [
      faults[0],
      faults.find(({ name }) => name === 'a 429'),
      faults.find(({ name }) => name === 'a 503'),
    ]) {
      const server = await startWireServer((step as Fault).step)
      await errorOf(calls[name].make({ client: clientOf(server.baseUrl, { maxRetries: 0 }).client }))
      expect(server.reached).toHaveLength(1)
    }
  })
})
