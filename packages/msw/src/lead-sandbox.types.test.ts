import { createLeadSandbox, type LeadSandbox } from '@lead-distribution/msw'
import { expect, it } from 'vitest'

/** Compiled, never run: what must not compile. */
async function mustNotCompile({ control, testLeads, handlers }: LeadSandbox, lead_id: string) {
  // @ts-expect-error misspelt: the wire says base_url, our options say baseUrl
  await createLeadSandbox({ base_url: 'https://sandbox.leads.test/api/v1' })
  // @ts-expect-error no such reading
  await createLeadSandbox({ settings: { gender: 'maybe' } })
  // @ts-expect-error no such setting
  await createLeadSandbox({ settings: { genders: 'required' } })
  // @ts-expect-error no such profile
  await createLeadSandbox({ profile: 'informal' })
  // @ts-expect-error a sandbox that is still opening has no handlers
  createLeadSandbox().handlers
  // @ts-expect-error no time to advance by
  await control.advanceClock()
  // @ts-expect-error the id of the lead is missing
  await control.showLead({})
  // @ts-expect-error the tenant is the control's own
  await control.showLead({ tenant: 'other', lead_id })
  // @ts-expect-error no such way to report an event
  await control.triggerEvent({ lead_id, via: 'phone' })
  // @ts-expect-error no such operation
  await control.addFault({ match: { operation: 'submitLeads' }, effect: { reset: true } })
  // @ts-expect-error no such effect
  await control.addFault({ match: { operation: 'submitLead' }, effect: { explode: true } })
  // @ts-expect-error no such control
  control.advance
  // @ts-expect-error no such test lead
  testLeads.tooPoor()
  const { leads } = await control.listLeads()
  // @ts-expect-error there may be no lead, and it may be another status
  const status: 'distributed' = leads[0].status
  return [handlers, status]
}

/** Compiled, never run: what each call answers is typed by the control plane's own shapes. */
async function mustCompile({ control, testLeads }: LeadSandbox, lead_id: string) {
  const { executed, now }: { executed: number; now: string } = await control.advanceClock({ by: 'PT24H' })
  const { would, trace } = await control.explainLead(testLeads.new())
  const { callbacks } = await control.listCallbacks({ lead_id })
  const [callback] = callbacks
  const state: 'pending' | 'delivered' | 'failed' | undefined = callback?.state
  return [executed, now, would.status, trace, state]
}

it('holds its types by what must not compile', () => expect([mustNotCompile, mustCompile]).toHaveLength(2))
