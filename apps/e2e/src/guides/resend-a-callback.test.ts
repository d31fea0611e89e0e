import { expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { openJourney } from './journey.fixture.ts'

const journey = openJourney()

it('a resend is one more request, the same as the first; recovering leaves alone what was delivered', async () => {
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
