import { describe, expect, it } from 'vitest'
import { metadata } from '../adapters/submission.ts'
import type { Tenant } from '../adapters/tenant.ts'
import { openJourney } from './journey.fixture.ts'

const journey = openJourney()
const both = (work: (tenant: Tenant) => Promise<unknown>) =>
  Promise.all(['prose', 'formal'].map(async profile => work(await journey.newTenant({ profile }))))

/** What a lead also has that passes under both profiles. */
const complete = { 'customer.personal_data.gender': 'female', 'consents.metadata': metadata }

describe('both profiles', () => {
  it('differ on the smallest lead, and each journal names the switches of the other reading', async () => {
    const seen = await both(async tenant => {
      const { status } = await tenant.submit()
      const { requests } = (await tenant.control('GET', '/requests')).json
      return [status, requests[0].warnings.map((warning: { switch: string }) => warning.switch)]
    })
    expect(seen).toEqual([
      [200, ['gender', 'consent_metadata']],
      [400, ['gender', 'consent_metadata']],
    ])
  })

  it('agree on a complete lead, with no warning', async () => {
    const seen = await both(async tenant => {
      const { json } = await tenant.submit(complete)
      const { requests } = (await tenant.control('GET', '/requests')).json
      return [json.status, requests[0].warnings]
    })
    expect(seen).toEqual([
      ['distributed', []],
      ['distributed', []],
    ])
  })

  it('differ in absent fields, in PATCH, and in what a callback calls an event', async () => {
    const seen = await both(async tenant => {
      const { json } = await tenant.submit(complete)
      const patched = await tenant.report(json.lead_id, { status: 'approved' }, { method: 'PATCH' })
      await tenant.report(json.lead_id, { status: 'approved' })
      const callbacks = await tenant.settledCallbacks(json.lead_id)
      return [json.rejection_reason, patched.status, callbacks.map(({ event }: { event: string }) => event)]
    })
    expect(seen).toEqual([
      [undefined, 200, ['loan_issued']],
      [null, 405, ['approved']],
    ])
  })
})
