import { OutcomeUnknownError } from '@lead-distribution/publisher-sdk'
import { expect, it } from 'vitest'
import { listeningSandbox, publisherOf } from './sandbox-server.fixture.ts'

const onSubmit = { operation: 'submitLead' } as const

it.each([{ reset: true }, { lost_reply: true }] as const)('gives a network error for the fault %j', async effect => {
  const sandbox = await listeningSandbox()
  await sandbox.control.addFault({ match: onSubmit, effect, times: 1 })
  const lead = sandbox.testLeads.distributed()
  await expect(publisherOf(sandbox).submit(lead)).rejects.toBeInstanceOf(OutcomeUnknownError)

  // Of a lost reply the lead is there; of a reset it is not.
  const { leads } = await sandbox.control.listLeads()
  expect(leads.length).toBe('lost_reply' in effect ? 1 : 0)
  const again = await publisherOf(sandbox).submit(lead)
  expect(again.outcome).toBe('lost_reply' in effect ? 'rejected' : 'distributed')
})

it('never replies to a request that times out, until its sender gives up', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.control.addFault({ match: onSubmit, effect: { timeout: true } })
  const submitting = publisherOf(sandbox).submit(sandbox.testLeads.distributed(), { timeoutMs: 50 })
  await expect(submitting).rejects.toBeInstanceOf(OutcomeUnknownError)

  const gaveUp = new AbortController()
  const reply = fetch(`${sandbox.account.base_url}/lead`, {
    method: 'POST',
    body: '{}',
    headers: { apikey: sandbox.account.publisher.api_key, 'content-type': 'application/json' },
    signal: gaveUp.signal,
  })
  const reason = new Error('That is enough.')
  gaveUp.abort(reason)
  await expect(reply).rejects.toBe(reason)
})

it('cuts the text of a malformed reply in the middle', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.control.addFault({ match: onSubmit, effect: { malformed: true } })
  const { account, testLeads } = sandbox
  const reply = await fetch(`${account.base_url}/lead`, {
    method: 'POST',
    body: JSON.stringify(testLeads.distributed()),
    headers: { apikey: account.publisher.api_key, 'content-type': 'application/json' },
  })
  expect(reply.status).toBe(200)
  await expect(reply.json()).rejects.toBeInstanceOf(SyntaxError)
})

it('answers statuses and latency as they are set', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.control.addFault({ match: onSubmit, effect: { latency_ms: 5 }, times: 1 })
  expect((await publisherOf(sandbox).submit(sandbox.testLeads.new())).outcome).toBe('new')
  await sandbox.control.addFault({ match: onSubmit, effect: { status: 503 }, times: 1 })
  await expect(publisherOf(sandbox).submit(sandbox.testLeads.new())).rejects.toMatchObject({ meta: { status: 503 } })
})
