import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'

type Step = readonly [operation: ControlOperationName, body?: object | undefined, path?: string]

inMemory('what the control plane answers', adapter => {
  it('has the shape that its document states, operation by operation', async () => {
    const tenant = await createTenant(adapter)
    const name = tenant.account.tenant
    await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 599 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'loan_issued', '&ref=r-1')
    const [callback] = await tenant.settledCallbacks(lead)
    const fault = { match: { operation: 'callback' }, effect: { delay: 'PT1S' }, times: 0 }
    const { json: set } = await tenant.control('POST', '/faults', { body: fault })
    const postback = `${adapter.url}${await tenant.postback(lead)}&event=approved`

    const steps: Step[] = [
      ['createTenant', { frozen_at: '2026-01-01T00:00:00Z' }],
      ['listTenants'],
      ['showTenant'],
      ['changeTenant', { settings: { gender: 'required' } }],
      ['changeTenant', { settings: { gender: 'optional' } }],
      ['listLeads'],
      ['showLead'],
      ['explainLead', tenant.body()],
      ['triggerEvent', { event: 'approved', via: 'pixel', repeat: 2 }],
      ['listCallbacks'],
      ['waitForCallback', undefined, `/callbacks/wait?lead_id=${lead}&timeout_ms=5000`],
      ['showCallback'],
      ['resendCallback'],
      ['recoverCallbacks', { since: 'PT1H' }],
      ['showInbox'],
      ['changeInbox', { status: 503, times: 1 }],
      ['showClock'],
      ['changeClock', { freeze: true }],
      ['advanceClock', { by: 'PT24H' }],
      ['addFault', { match: { operation: 'submitLead' }, effect: { status: 503 }, probability: 0 }],
      ['listFaults'],
      ['removeFault'],
      ['clearFaults'],
      ['listRequests'],
      ['saveSnapshot', { name: 'kept' }],
      ['listSnapshots'],
      ['restoreSnapshot'],
      ['deleteSnapshot'],
      ['showCoverage'],
      ['diagnosePostback', { url: postback }],
      ['resetTenant'],
      ['deleteTenant'],
    ]
    expect(new Set(steps.map(([operation]) => operation))).toEqual(new Set(Object.keys(controlOperations)))

    const ids = { tenant: name, lead_id: lead, callback_id: callback.callback_id, fault_id: set.fault_id, name: 'kept' }
    for (const [operation, body, path] of steps) {
      const { methods, path: pattern, reply, ...row } = controlOperations[operation]
      const named = pattern.replace(/:(\w+)/g, (_, id: keyof typeof ids) => ids[id])
      const target = path ? `${tenantsPath}/${name}${path}` : `${tenantsPath}${named.slice('/tenants'.length)}`
      const { status, json } = await adapter.request(methods[0], target, body ? { body } : {})
      expect([operation, status, json.details]).toEqual([operation, 'status' in row ? row.status : 200, undefined])
      expect([operation, reply.safeParse(json).error?.issues]).toEqual([operation, undefined])
    }
  })
})
