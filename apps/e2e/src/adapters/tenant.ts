import { expect } from 'vitest'
import type { Account, Adapter, AdapterResponse, RequestOptions } from './adapter.ts'
import { type Changes, submissionOf, withChanges } from './submission.ts'

/** The path of the tenants. */
export const tenantsPath = '/_sandbox/v1/tenants'

/** A tenant of one test's own, and what a test does with it. */
export class Tenant {
  readonly adapter: Adapter
  account: Account
  private customers = 0

  constructor(adapter: Adapter, account: Account) {
    this.adapter = adapter
    this.account = account
  }

  get publisherKey() {
    return this.account.publisher.api_key
  }

  /** The key of an advertiser, by its place. */
  advertiserKey(index = 0) {
    return this.advertiser(index).api_key
  }

  advertiser(index = 0) {
    const advertiser = this.account.advertisers[index]
    if (!advertiser) throw new Error(`The account has no advertiser ${index}.`)
    return advertiser
  }

  product(active = true) {
    const product = this.account.products.find(candidate => candidate.active === active)
    if (!product) throw new Error('The account has no such product.')
    return product
  }

  /** A smallest valid body, of a customer not seen before. */
  body(changes: Changes = {}, email = `customer-${++this.customers}@example.com`) {
    return withChanges(submissionOf(this.account, email), changes)
  }

  /** Submits a smallest valid lead, or what changes make of it. */
  submit(changes?: Changes, email?: string): Promise<AdapterResponse> {
    return this.submitBody(this.body(changes, email))
  }

  submitBody(body: unknown, headers: Record<string, string> = {}): Promise<AdapterResponse> {
    return this.adapter.request('POST', '/api/v1/lead', { body, headers: { apikey: this.publisherKey, ...headers } })
  }

  /** The id of a lead that the first advertiser took. */
  async distributedLead(changes?: Changes): Promise<string> {
    const { json } = await this.submit(changes)
    expect(json).toMatchObject({ status: 'distributed' })
    return json.lead_id
  }

  /** Reports by body. */
  report(lead: string, body: unknown, { key = this.advertiserKey(), method = 'POST' } = {}): Promise<AdapterResponse> {
    return this.adapter.request(method, `/api/v1/lead/${lead}/status`, { body, headers: { apikey: key } })
  }

  /** Fires the pixel: the postback URL of the lead as it was given, the event behind it. */
  async pixel(lead: string, event: string, more = ''): Promise<AdapterResponse> {
    return this.adapter.request('GET', `${await this.postback(lead)}&event=${event}${more}`)
  }

  /** Path and query of the lead's postback URL. */
  async postback(lead: string, index = 0): Promise<string> {
    const { deliveries } = await this.lead(lead)
    const accepted = deliveries.filter((delivery: { postback_url?: string }) => delivery.postback_url)
    const { pathname, search } = new URL(accepted[index].postback_url)
    return `${pathname}${search}`
  }

  /** A request of the control plane on this tenant. */
  control(method: string, path = '', options: RequestOptions = {}): Promise<AdapterResponse> {
    return this.adapter.request(method, `${tenantsPath}/${this.account.tenant}${path}`, options)
  }

  /** A lead as the control plane shows it. */
  async lead(lead: string) {
    const { status, json } = await this.control('GET', `/leads/${lead}`)
    expect(status).toBe(200)
    return json
  }

  /** What the tenant's own inbox took, once it took so many. */
  async inbox(atLeast: number): Promise<{ lead_id: string; event: string; target: string; headers: object }[]> {
    const callbacks = async () => (await this.control('GET', '/inbox')).json.callbacks
    await expect.poll(async () => (await callbacks()).length).toBeGreaterThanOrEqual(atLeast)
    return callbacks()
  }

  /** The lead's callbacks, once none is pending. */
  async settledCallbacks(lead: string) {
    const pending = async () =>
      (await this.lead(lead)).callbacks.filter((callback: { state: string }) => callback.state === 'pending')
    await expect.poll(pending).toEqual([])
    return (await this.lead(lead)).callbacks
  }

  async change(change: object): Promise<void> {
    const { status, json } = await this.control('PATCH', '', { body: change })
    expect([status, json.details]).toEqual([200, undefined])
    this.account = json
  }
}

/** Makes a tenant; what is not said is as it is by default. */
export async function createTenant(adapter: Adapter, creation: object = {}): Promise<Tenant> {
  const { status, json } = await adapter.request('POST', tenantsPath, { body: creation })
  expect([status, json.details]).toEqual([201, undefined])
  return new Tenant(adapter, json)
}
