import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublisher, OutcomeUnknownError } from '@lead-distribution/publisher-sdk'
import { createTestLeads } from '@lead-distribution/test-leads'
import { afterAll, describe, expect, it } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import type { Tenant } from '../adapters/tenant.ts'
import { advance, openJourney } from './reader.fixture.ts'
import { pressButton } from './run-guide.ts'

const journey = openJourney()

const publisherOf = ({ account, publisherKey }: Tenant) =>
  createPublisher({ baseUrl: account.base_url, apiKey: publisherKey })
const leadsOf = async (tenant: Tenant) => (await tenant.control('GET', '/leads')).json.leads

/** Submits twice, the first reply being lost by an effect; answers the fault and the second result. */
async function submitTwice(tenant: Tenant, effect: object) {
  const fault = { match: { operation: 'submitLead' }, effect, times: 1 }
  expect((await tenant.control('POST', '/faults', { body: fault })).status).toBe(201)
  const publisher = publisherOf(tenant)
  const lead = createTestLeads(tenant.account).distributed()
  const error = await publisher.submit(lead).catch((thrown: unknown) => thrown)
  if (!OutcomeUnknownError.is(error)) throw new Error('The outcome of the first submission is known.')
  return {
    error,
    leadsBetween: await leadsOf(tenant),
    result: await publisher.submit(lead, { previousAttempt: error.attempt }),
  }
}

describe('a lost reply', () => {
  it('leaves one lead, and the resend gets customer_already_exists', async () => {
    const tenant = await journey.newTenant()
    const { error, leadsBetween, result } = await submitTwice(tenant, { lost_reply: true })
    expect([error.sent, error.meta?.attempts]).toEqual(['maybe', 1])
    expect(result).toMatchObject({
      outcome: 'rejected',
      rejection_reason: 'customer_already_exists',
      lead_id: null,
      mayBeOwnEarlierAttempt: true,
    })
    expect(await leadsOf(tenant)).toEqual(leadsBetween)
    expect(leadsBetween).toMatchObject([{ status: 'distributed' }])
  })

  it('is made good by the callbacks, which carry the id', async () => {
    const tenant = await journey.newTenant()
    const { leadsBetween } = await submitTwice(tenant, { lost_reply: true })
    const [{ lead_id }] = leadsBetween
    await tenant.pixel(lead_id, 'approved')
    expect(await tenant.inbox(1)).toMatchObject([{ lead_id, event: 'loan_issued' }])
  })

  it('is another thing than a connection cut before: then there is no lead, and the resend is distributed', async () => {
    const tenant = await journey.newTenant()
    const { error, leadsBetween, result } = await submitTwice(tenant, { reset: true })
    expect([error.sent, leadsBetween, result.outcome]).toEqual(['maybe', [], 'distributed'])
    expect(await leadsOf(tenant)).toHaveLength(1)
  })
})
const frozen_at = '2026-01-01T09:00:00Z'

describe('a receiver that is down for two tries', () => {
  it('is asked at once, after five seconds and after thirty more, and never again', async () => {
    await using receiver = await openReceiver((response, count) => withStatus(count <= 2 ? 503 : 204)(response))
    const tenant = await journey.newTenant({ frozen_at, callback_url: receiver.url })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await expect.poll(() => receiver.received.length).toBe(1)

    const tries: number[] = []
    for (const by of ['PT4.999S', 'PT0.001S', 'PT29.999S', 'PT0.001S', 'P1D']) {
      await advance(tenant, by)
      tries.push(receiver.received.length)
    }
    expect(tries).toEqual([1, 2, 2, 3, 3])
    expect(new Set(receiver.received.map(({ target }) => target))).toEqual(
      new Set([`/?lead_id=${lead}&event=loan_issued`]),
    )
    expect((await tenant.lead(lead)).callbacks).toMatchObject([
      {
        state: 'delivered',
        attempts: [
          { at: '2026-01-01T09:00:00.000Z', status: 503 },
          { at: '2026-01-01T09:00:05.000Z', status: 503 },
          { at: '2026-01-01T09:00:35.000Z', status: 204 },
        ],
      },
    ])
  })

  it('is given up after the last try, when it stays down', async () => {
    await using receiver = await openReceiver(withStatus(503))
    const tenant = await journey.newTenant({ frozen_at, callback_url: receiver.url })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    expect(await advance(tenant, 'P1D')).toMatchObject({ pending: 0 })
    expect((await tenant.lead(lead)).callbacks).toMatchObject([{ state: 'failed', attempts: { length: 6 } }])
    expect(receiver.received).toHaveLength(6)
  })
})

it('a resend is one more request, the same as the first; recovering skips what was delivered', async () => {
  let status = 200
  await using receiver = await openReceiver(response => withStatus(status)(response))
  const tenant = await journey.newTenant({
    callback_url: receiver.url,
    settings: { callback_retries: [] },
    frozen_at: '2026-01-01T09:00:00Z',
  })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'registration')
  const [first] = await tenant.settledCallbacks(lead)
  status = 500
  for (const event of ['approved', 'completed']) await tenant.pixel(lead, event)
  await tenant.settledCallbacks(lead)
  status = 200

  const resent = await tenant.control('POST', `/callbacks/${first.callback_id}/resend`)
  expect(resent.json.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([200, 200])
  const recovered = await tenant.control('POST', '/callbacks/recover', { body: { since: 'PT1H' } })
  expect(recovered.json.callbacks.map(({ event, state }: { event: string; state: string }) => [event, state])).toEqual([
    ['loan_issued', 'delivered'],
    ['loan_paid', 'delivered'],
  ])
  expect((await tenant.control('POST', '/callbacks/recover', { body: { since: 'PT1H' } })).json.callbacks).toEqual([])

  const events = receiver.received.map(({ target }) => new URL(target, receiver.url).searchParams.get('event'))
  expect(events).toEqual(['registration', 'loan_issued', 'loan_paid', 'registration', 'loan_issued', 'loan_paid'])
  expect(receiver.received[3]?.target).toBe(receiver.received[0]?.target)
})

it('a button that is pressed twice reports once, and the publisher is notified once', async () => {
  const tenant = await journey.newTenant()
  const lead = await tenant.distributedLead()
  const { redirect_url } = await tenant.lead(lead)
  expect(new URL(redirect_url).origin).toBe(journey.adapter.url)

  const replies: string[] = []
  for (const button of ['registration', 'approved (loan_issued)', 'approved (loan_issued)'])
    replies.push(await pressButton(redirect_url, button))
  expect(replies).toEqual([
    expect.stringContaining('recorded registration'),
    expect.stringContaining('recorded approved'),
    expect.stringContaining('ignored approved'),
  ])

  const callbacks = await tenant.settledCallbacks(lead)
  expect(callbacks.map(({ event, state }: { event: string; state: string }) => [event, state])).toEqual([
    ['registration', 'delivered'],
    ['loan_issued', 'delivered'],
  ])
})

const { run, start } = launcher()
const folder = mkdtempSync(join(tmpdir(), 'shared-sandbox-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shared = ['--host', '0.0.0.0', '--admin-token', 'a-long-one-of-ours']

describe('a shared sandbox', () => {
  it.each(['0.0.0.0', '::'])('does not start on %s without a token, and says what to do', async host => {
    const { code, stdout, stderr } = await run('start', '--host', host, '--port', '0').exit
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--admin-token')
  })

  it('asks for its token at every path of the control plane, and takes no other', async () => {
    const { url } = await start(...shared)
    const statuses = async (headers: Record<string, string>) =>
      Promise.all(
        ['tenants', 'tenants/demo', 'tenants/demo/leads', 'tenants/nobody'].map(
          async path => (await fetch(`${url}/_sandbox/v1/${path}`, { headers })).status,
        ),
      )
    expect(await statuses({})).toEqual([401, 401, 401, 401])
    expect(await statuses({ authorization: 'Bearer a-long-on' })).toEqual([401, 401, 401, 401])
    expect(await statuses({ authorization: 'Bearer a-long-one-of-ours' })).toEqual([200, 200, 200, 404])
  })

  it('draws its demo account once, and keeps it over a restart', async () => {
    const data = ['--data', join(folder, 'team.db')]
    const first = await start(...shared, ...data)
    first.child.kill('SIGTERM')
    await first.exit
    const again = await start(...shared, ...data)
    const other = await start(...shared)
    const keyOf = ({ tenant }: typeof first) => tenant.publisher.api_key
    expect(keyOf(again)).toBe(keyOf(first))
    expect(new Set([keyOf(first), keyOf(other), 'sandbox_pub_demo_0000000000000000']).size).toBe(3)
  })
})
