import type { Tenant, TestLeads } from '@lead-distribution/control-client'
import { createPublisher, type Fetch } from '@lead-distribution/publisher-sdk'

/** An invented person who applies for a loan, and what the advertiser reports. */
interface Applicant {
  readonly name: string
  readonly gender: 'female' | 'male'
  /** The test lead that gets the outcome. */
  readonly lead:
    | 'distributed'
    | 'new'
    | 'ageRestricted'
    | 'incomeInsufficient'
    | 'geographicRestriction'
    | 'fraudSuspected'
  readonly amount?: number
  readonly events?: readonly string[]
}

const applicants: readonly Applicant[] = [
  { name: 'Nerea Castro', gender: 'female', lead: 'distributed', events: ['registration', 'approved', 'completed'] },
  { name: 'Marc Vidal', gender: 'male', lead: 'incomeInsufficient' },
  { name: 'Elena Marín', gender: 'female', lead: 'distributed', amount: 9_000, events: ['registration', 'rejected'] },
  { name: 'Jon Etxeberria', gender: 'male', lead: 'new' },
  { name: 'Lucía Romero', gender: 'female', lead: 'distributed', events: ['registration', 'approved', 'defaulted'] },
  { name: 'Hugo Serrano', gender: 'male', lead: 'ageRestricted' },
  { name: 'Irene Soler', gender: 'female', lead: 'distributed', amount: 4_000, events: ['registration'] },
  { name: 'Tomás Herrera', gender: 'male', lead: 'geographicRestriction' },
  { name: 'Sofía Conde', gender: 'female', lead: 'distributed', amount: 6_500, events: ['registration', 'approved'] },
  { name: 'Diego Pardo', gender: 'male', lead: 'fraudSuspected' },
  { name: 'Clara Benet', gender: 'female', lead: 'new' },
  { name: 'Pablo Núñez', gender: 'male', lead: 'distributed', amount: 3_000 },
]

/** The time between two applications. */
const pause = 'PT17M'

/**
 * Fills a tenant with a morning's work: a dozen people with different outcomes, the events of their loans, and a callback
 * that failed once and was sent again. Its clock is frozen from then on.
 */
export async function tellStory({ account, testLeads, clock, leads, inbox }: Tenant, fetch: Fetch): Promise<void> {
  const publisher = createPublisher({
    baseUrl: account.base_url,
    apiKey: account.publisher.api_key,
    fetch,
    // The key opens nothing outside of this page.
    dangerouslyAllowBrowser: true,
  })
  await clock.freeze()
  for (const applicant of applicants) {
    const result = await publisher.submit(leadOf(testLeads, applicant))
    await clock.advance({ by: pause })
    if (result.outcome !== 'distributed') continue
    const events = applicant.events ?? []
    for (const event of events) {
      if (event === 'approved' && applicant.name === 'Sofía Conde') await inbox.change({ status: 503, times: 1 })
      await leads.trigger(result.lead_id, { event })
      await clock.advance({ by: 'PT1M' })
    }
  }
}

function leadOf(testLeads: TestLeads, { name, gender, lead, amount }: Applicant) {
  const [first_name = '', last_name = ''] = name.split(' ')
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(' ', '.')
  return testLeads[lead]({
    customer: {
      personal_data: { first_name, last_name, gender },
      contact: { email: { address: `${plain}@example.com` } },
    },
    ...(amount !== undefined && { product_data: { loan_amount: amount } }),
  })
}
