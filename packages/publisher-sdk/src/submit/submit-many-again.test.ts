import { replies, resets } from '@lead-distribution/sdk-core/fault-server'
import { expect, it } from 'vitest'
import type { CallAttempt, LeadSubmission } from '../index.ts'
import { distributes, numbered, numberedLeads, readAll, startService, states } from './leads.fixture.ts'

const exists = replies(200, { status: 'rejected', rejection_reason: 'customer_already_exists' })
const attempt: CallAttempt = { callId: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', at: '2026-01-01T09:30:00Z' }

it('submits leads of unknown outcome again in bulk, and says which refusals may be by their own earlier attempt', async () => {
  const { publisher, reached } = await startService(number => {
    if (number % 2 === 0) return distributes
    return reached.filter(({ body }) => JSON.parse(body).customer.external_id === `${number}`).length > 1
      ? exists
      : resets
  })
  const unknown: { lead: LeadSubmission; previousAttempt: CallAttempt }[] = []
  for await (const each of publisher.submitMany(numberedLeads(8)))
    if (each.state === 'unknown') unknown.push({ lead: each.lead, previousAttempt: each.attempt })
  expect(unknown).toHaveLength(4)

  // A lead that was never tried may stand among them.
  const stored: typeof unknown = JSON.parse(JSON.stringify(unknown))
  const again = await readAll(publisher.submitMany([...stored, numbered(8), { lead: numbered(10) }]))
  expect(states(again)).toEqual([0, 1, 2, 3, 4, 5].map(index => `${index} answered`))
  expect(again.map(each => each.state === 'answered' && each.result)).toMatchObject([
    ...stored.map(() => ({ rejection_reason: 'customer_already_exists', mayBeOwnEarlierAttempt: true })),
    { outcome: 'distributed' },
    { outcome: 'distributed' },
  ])
  expect(again.map(({ lead }) => lead)).toEqual([...stored.map(({ lead }) => lead), numbered(8), numbered(10)])
  expect(again.map(({ previousAttempt }) => previousAttempt)).toEqual([
    ...stored.map(({ previousAttempt }) => previousAttempt),
    null,
    null,
  ])
})

it('takes a refusal of a lead without an attempt for what it is', async () => {
  const { publisher } = await startService(() => exists)
  const leads = [
    numbered(0),
    { lead: numbered(1), previousAttempt: null },
    { lead: numbered(2), previousAttempt: attempt },
  ]
  const read = await readAll(publisher.submitMany(leads))
  expect(read.map(each => each.state === 'answered' && each.result)).toMatchObject([
    { mayBeOwnEarlierAttempt: false },
    { mayBeOwnEarlierAttempt: false },
    { mayBeOwnEarlierAttempt: true },
  ])
})

it('keeps the attempt with a lead that the run did not send', async () => {
  const { publisher } = await startService(() => replies(401, {}))
  const leads = numberedLeads(3).map(lead => ({ lead, previousAttempt: attempt }))
  const read = await readAll(publisher.submitMany(leads, { concurrency: 1 }))
  expect(read).toMatchObject([
    { state: 'failed', previousAttempt: attempt },
    { state: 'not_sent', previousAttempt: attempt },
    { state: 'not_sent', previousAttempt: attempt },
  ])
})

it.each([
  ['another name of the attempt', { lead: numbered(0), attempt }, '`attempt`'],
  [
    'a result of an earlier run',
    { index: 0, lead: numbered(0), state: 'unknown', attempt, previousAttempt: null },
    '`index`',
  ],
  ['an attempt that is none', { lead: numbered(0), previousAttempt: { callId: 'c' } }, '`previousAttempt`'],
])('sends no lead with %s: its outcome would be taken for a refusal', async (_name, item, named) => {
  const { publisher, reached } = await startService()
  const run = publisher.submitMany([item as never, numbered(1)], { concurrency: 1 })
  const [first, second] = await readAll(run)
  expect(first).toMatchObject({ state: 'failed', error: { code: 'config', message: expect.stringContaining(named) } })
  expect([second?.state, reached.length, run.progress.ended]).toEqual(['not_sent', 0, 'refused'])
})
