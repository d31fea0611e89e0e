import type { LeadSubmission } from '@lead-distribution/contract'
import { type BuildLead, createTestLeads } from '@lead-distribution/contract/test-leads'
import { expect } from 'vitest'
import { settled } from '../ports.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'

/** The body of a response, untyped. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field; a missing one fails the assertion.
export type Shown = any

/** A tenant of a new sandbox with a manual clock, and functions to call the control plane and act as its parties. */
export async function openTenantClient(
  creation: object = { name: 'qa', seed: 'lists' },
  options: Parameters<typeof openSandbox>[0] = {},
) {
  const { sandbox, time, call } = await openSandbox(options)
  const created: Shown = (await call('POST', '/_sandbox/v1/tenants', creation)).json
  const name: string = created.tenant
  const account = sandbox.account(name) ?? expect.fail('The tenant was not created.')
  const leads = createTestLeads(account, { tag: 'lists', today: new Date(time.clock.now()) })

  const control = (method: string, path: string, body?: object | string, headers?: Record<string, string>) =>
    call(method, `/_sandbox/v1/tenants/${name}${path}`, body, headers)
  /** Returns the body of a call that must succeed. */
  const done = async (method: string, path: string, body?: object): Promise<Shown> => {
    const { status, json } = await control(method, path, body)
    expect([200, 201], JSON.stringify(json)).toContain(status)
    return json
  }
  const get = (path: string) => done('GET', path)
  /** Returns the field names in an error. */
  const refused = async (method: string, path: string, body?: object): Promise<string[]> => {
    const { status, json } = await control(method, path, body)
    expect([status, json.error]).toEqual([400, 'validation_error'])
    return (json as Shown).details.map(({ field }: { field: string }) => field)
  }
  const submit = async (build: BuildLead | LeadSubmission, email?: string, headers: Record<string, string> = {}) => {
    const changes = email === undefined ? {} : { customer: { contact: { email: { address: email } } } }
    const body = typeof build === 'function' ? build(changes) : build
    const key = account.publisher.api_key
    const { status, json } = await call('POST', '/api/v1/lead', body, { apikey: key, ...headers })
    return { status, ...(json as Shown) }
  }
  /** Reports an event as the simulated advertiser. Resolves once the callback is delivered. */
  const trigger = async (lead_id: string, event: string) => {
    const { replies } = await done('POST', `/leads/${lead_id}/trigger`, { event })
    await settled()
    return replies
  }
  return { sandbox, time, call, account, leads, control, done, get, refused, submit, trigger }
}
