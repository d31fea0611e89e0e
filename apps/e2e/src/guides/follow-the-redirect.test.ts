import { expect, it } from 'vitest'
import { openJourney } from './journey.fixture.ts'
import { pressButton } from './press-button.ts'

const journey = openJourney()

it('a button that is pressed twice reports once, and the publisher is told once', async () => {
  const tenant = await journey.newTenant()
  const lead = await tenant.distributedLead()
  const { redirect_url } = await tenant.lead(lead)
  expect(new URL(redirect_url).origin).toBe(journey.adapter.url)

  const replies: string[] = []
  for (const button of ['registration', 'approved (loan_issued)', 'approved (loan_issued)'])
    replies.push(JSON.parse(await pressButton(redirect_url, button)).status)
  expect(replies).toEqual(['received', 'received', 'ignored'])

  const callbacks = await tenant.settledCallbacks(lead)
  expect(callbacks.map(({ event, state }: { event: string; state: string }) => [event, state])).toEqual([
    ['registration', 'delivered'],
    ['loan_issued', 'delivered'],
  ])
})
