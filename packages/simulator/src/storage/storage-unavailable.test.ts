import { expect, it } from 'vitest'
import { openTenantClient } from '../control/tenant-client.fixture.ts'
import { createMemoryStorage } from './memory-storage.ts'
import { onceAMinute, StorageUnavailable } from './storage-unavailable.ts'

it('reports each storage problem once a minute, and any other error every time', () => {
  const reported: unknown[] = []
  let now = 0
  const report = onceAMinute(error => reported.push(error), { now: () => now })
  const full = () => new StorageUnavailable('The disk is full.')
  const locked = () => new StorageUnavailable('The file is locked.')
  const bug = () => new TypeError('x is not a function')
  const reportedOf = (...errors: Error[]) => {
    for (const error of errors) report(error)
    return reported.splice(0).map(error => (error as Error).message)
  }
  expect(reportedOf(full(), full(), locked(), bug(), bug())).toEqual([
    ...['The disk is full.', 'The file is locked.', 'x is not a function', 'x is not a function'],
  ])
  now = 59_999
  expect(reportedOf(full(), locked())).toEqual([])
  now = 60_000
  expect(reportedOf(full(), full())).toEqual(['The disk is full.'])
})

it('makes the service and the control plane respond with 503 and Retry-After', async () => {
  const storage = createMemoryStorage()
  const errors: unknown[] = []
  let fails = false
  const unavailable = new StorageUnavailable('The disk is full.')
  const { submit, leads, control, call, account } = await openTenantClient(
    { name: 'qa' },
    {
      onError: error => errors.push(error),
      storage: {
        ...storage,
        of: name => ({
          transact: work => (fails ? Promise.reject(unavailable) : storage.of(name).transact(work)),
          read: work => (fails ? Promise.reject(unavailable) : storage.of(name).read(work)),
        }),
      },
    },
  )
  fails = true
  const replies = [
    await call('POST', '/api/v1/lead', leads.distributed(), { apikey: account.publisher.api_key }),
    await control('GET', '/leads'),
  ]
  for (const { status, json } of replies)
    expect([status, json]).toEqual([
      503,
      { error: 'service_unavailable', message: expect.stringContaining('GET /_sandbox/health says why') },
    ])
  expect(new Set(errors)).toEqual(new Set([unavailable]))
  fails = false
  expect((await submit(leads.distributed)).status).toBe('distributed')
})
