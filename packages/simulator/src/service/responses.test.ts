import type { SettingsOverrides } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'

/** A tenant of a sandbox, and what its journal notes of a call. */
async function tenantWith(settings: SettingsOverrides = {}) {
  const client = await openTenantClient({ name: 'qa', seed: '1', settings })
  const { call, account, leads, get, submit } = client
  /** A lead that no interpretation reads otherwise. */
  const lead = (): Shown => {
    const body: Shown = leads.distributed()
    body.customer.personal_data.gender = 'female'
    body.consents.metadata = { ip_address: '203.0.113.7', collected_at: '2026-01-31T09:30:00Z' }
    return body
  }
  /** The status of a call and the portability warnings of its journal entry. */
  const warned = async () => {
    const [{ status, warnings }] = (await get('/requests?limit=1')).requests
    return [status, warnings.map((each: Shown) => `${each.switch} ${each.other_interpretation}: ${each.would}`)]
  }
  const report = async (status: string, method = 'POST') => {
    const { lead_id } = await submit(lead())
    const apikey = account.advertisers[0]?.api_key ?? ''
    await call(method, `/api/v1/lead/${lead_id}/status`, { status }, { apikey })
    return warned()
  }
  return { ...client, lead, warned, report }
}

describe('a portability warning', () => {
  it('is not given if every interpretation leads to one response', async () => {
    const { submit, lead, warned } = await tenantWith()
    await submit(lead())
    expect(await warned()).toEqual([200, []])
  })

  it('shows which interpretation of the methods responds otherwise [open/status_methods]', async () => {
    const both = await tenantWith()
    expect(await both.report('approved')).toEqual([200, ['status_methods PATCH: respond 405 method_not_allowed']])
    const post = await tenantWith({ status_methods: ['POST'] })
    expect(await post.report('approved', 'PATCH')).toEqual([405, ['status_methods PATCH: accept PATCH']])
  })
})

describe('the trace of a submission', () => {
  const checksOf = (trace: Shown[]) => trace.map(({ check, verdict }) => `${check} ${verdict}`)

  it('ends with distribution and claim if the lead was created [4.1/rule-3]', async () => {
    const { submit, lead, get } = await tenantWith()
    const { lead_id } = await submit(lead())
    expect(checksOf((await get(`/leads/${lead_id}`)).trace).slice(-2)).toEqual(['distribution passed', 'claim passed'])
  })
})
