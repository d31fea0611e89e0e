import type { EventOptions, SandboxEvent } from '@lead-distribution/control-client'
import { expect, it } from 'vitest'
import { followEvents, touchedBy } from './follow-events.ts'

const fault = (id: string): SandboxEvent => ({ id, type: 'fault', tenant: 't', at: '2026-01-01T00:00:00Z', faults: [] })
const ready = (id: string): SandboxEvent => ({ id, type: 'ready' })
const reset: SandboxEvent = { id: '9', type: 'reset', reason: 'too slow' }

const tenant = (change: 'restored' | 'deleted'): SandboxEvent => ({
  id: '1',
  type: 'tenant',
  tenant: 't',
  at: '2026-01-01T00:00:00Z',
  change,
})

/** Follows connections, each a list of events and possibly an error. Stops after the last one. */
async function followed(connections: readonly (readonly (SandboxEvent | Error)[])[], lastEventId?: string) {
  const controller = new AbortController()
  const log: unknown[] = []
  let next = 0
  const last = await followEvents({
    async *open({ lastEventId }: EventOptions) {
      log.push(['open', lastEventId])
      const connection = connections[next++]
      if (next === connections.length) controller.abort()
      for (const event of connection ?? []) {
        if (event instanceof Error) throw event
        yield event
      }
    },
    signal: controller.signal,
    lastEventId,
    onEvent: ({ type }) => log.push(type),
    onState: state => state !== 'live' && log.push(state),
    isFinal: error => error instanceof RangeError,
    wait: async ms => void log.push(ms),
  })
  return { log, last }
}

it('continues after the last event when a connection breaks, and waits longer after each failure', async () => {
  const broken = new Error('broken')
  const connections = [[ready('1'), fault('2'), broken], [broken], [broken], [ready('2'), fault('3')], []]
  expect(await followed(connections)).toEqual({
    log: [
      ['open', undefined],
      'ready',
      'fault',
      ...['reconnecting', 250, ['open', '2'], 'reconnecting', 500, ['open', '2'], 'reconnecting', 1000],
      ['open', '2'],
      'ready',
      'fault',
      ...['reconnecting', 250, ['open', '3']],
    ],
    last: '3',
  })
})

it('continues after a reset, because the page reloads its data then', async () => {
  const { log } = await followed([[ready('1'), reset], []])
  expect(log).toEqual([['open', undefined], 'ready', 'reset', 'reconnecting', 250, ['open', '9']])
})

it('does not retry if it cannot succeed', async () => {
  expect((await followed([[new RangeError('no token')], []], '7')).log).toEqual([['open', '7'], 'refused'])
})

it('knows which queries an event affects, and that missing events may affect all of them', () => {
  expect(touchedBy(ready('1'), true)).toEqual([])
  expect(touchedBy(ready('1'), false)).toEqual(['everything'])
  expect(touchedBy(reset, true)).toEqual(['everything'])
  expect(touchedBy(fault('1'), true)).toEqual(['faults'])
  expect(touchedBy(tenant('restored'), true)).toEqual(['everything'])
  expect(touchedBy(tenant('deleted'), true)).toEqual(['account'])
})
