import { expect, it, vi } from 'vitest'
import { ConfigError } from '../errors/index.ts'
import { type CallEvent, followCall, safeListener } from './call-events.ts'

it('calls a listener with the event itself, and gives nothing back', () => {
  const seen: number[] = []
  expect(safeListener((event: number) => seen.push(event))(7)).toBeUndefined()
  expect(seen).toEqual([7])
})

it('ignores that a listener throws or rejects, and that there is none', () => {
  const rejected = Promise.reject(new Error('The log is full.'))
  const handled = vi.spyOn(rejected, 'then')
  expect(safeListener(() => rejected)(undefined)).toBeUndefined()
  // A rejection that nobody handles ends a process of Node.
  expect(handled).toHaveBeenCalledWith(undefined, expect.any(Function))
  const throwing = safeListener(() => {
    throw new Error('The log is full.')
  })
  for (const report of [throwing, safeListener(undefined)]) expect(() => report(undefined)).not.toThrow()
})

it('does not wait for a listener', () => {
  expect(safeListener(() => new Promise(() => {}))(undefined)).toBeUndefined()
})

it('keeps of a reply what the next attempt has not replaced yet', () => {
  const events: CallEvent[] = []
  const progress = followCall('submitLead', event => events.push(event))
  expect(progress.meta()).toMatchObject({ attempts: 0, status: null, headers: {} })
  progress.attempted('POST')
  progress.responded(429, { server: 'nginx' })
  expect(progress.meta()).toMatchObject({ attempts: 1, status: 429, headers: { server: 'nginx' } })
  progress.retries('the response has status 429', 12.6)
  progress.attempted('POST')
  expect(progress.meta()).toMatchObject({ attempts: 2, status: null, headers: {} })
  progress.failed(new ConfigError('m'))
  const { callId } = progress.attempt
  const base = { callId, call: 'submitLead' }
  expect(events).toEqual([
    { ...base, attempt: 1, type: 'attempt', method: 'POST' },
    { ...base, attempt: 1, type: 'reply', status: 429, ms: expect.any(Number) },
    { ...base, attempt: 1, type: 'retry', reason: 'the response has status 429', delayMs: 13 },
    { ...base, attempt: 2, type: 'attempt', method: 'POST' },
    { ...base, attempt: 2, type: 'failure', code: 'config', sent: 'no', ms: expect.any(Number) },
  ])
  for (const event of events) if ('ms' in event) expect(event.ms % 1).toBe(0)
  expect(progress.meta().callId).toBe(callId)
  expect(progress.meta().ms % 1).toBe(0)
})
