import type { LeadSubmission } from '@lead-distribution/contract'
import {
  type ControlClient,
  ControlError,
  createControlClient,
  type TenantControl,
} from '@lead-distribution/control-client'
import { expect } from 'vitest'
import type { Account, Adapter, AdapterResponse, RequestOptions } from './adapter.ts'

/** The path of the tenants. */
export const tenantsPath = '/_sandbox/v1/tenants'

/** The control plane behind an adapter, through the public control client. */
export function controlOf(adapter: Pick<Adapter, 'request' | 'stream'>): ControlClient {
  return createControlClient(async ({ operation, method, path, headers = {}, body, responds }) => {
    if (responds === 'events') return adapter.stream(path, headers)
    const { status, json, text } = await adapter.request(method, path, { headers, body })
    if (status >= 400) throw new ControlError(operation, status, json)
    return responds === 'text' ? text : json
  })
}

/** A control-plane view, typed loosely so that assertions need no narrowing. */
type Shown = AdapterResponse['json']

/** One test's tenant, and what a test does with it. */
export class Tenant {
  readonly adapter: Adapter
  /** Its control plane, typed. Use `control` for requests that the client cannot send. */
  readonly client: TenantControl
  account: Account
  private customers = 0

  constructor(adapter: Adapter, account: Account) {
    this.adapter = adapter
    this.client = controlOf(adapter).control(account.tenant)
    this.account = account
  }

  get publisherKey() {
    return this.account.publisher.api_key
  }

  /** An advertiser's key, by its position. */
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
    if (!product) throw new Error(`The account has no ${active ? 'active' : 'inactive'} product.`)
    return product
  }

  /** A minimal valid body for a new customer. */
  body(changes: Changes = {}, email = `customer-${++this.customers}@example.com`) {
    return withChanges(submissionOf(this.account, email), changes)
  }

  /** Submits a minimal valid lead, with changes. */
  submit(changes?: Changes, email?: string): Promise<AdapterResponse> {
    return this.submitBody(this.body(changes, email))
  }

  submitBody(body: unknown, headers: Record<string, string> = {}): Promise<AdapterResponse> {
    return this.adapter.request('POST', '/api/v1/lead', { body, headers: { apikey: this.publisherKey, ...headers } })
  }

  /** The id of a lead that the first advertiser accepted. */
  async distributedLead(changes?: Changes): Promise<string> {
    const { json } = await this.submit(changes)
    expect(json).toMatchObject({ status: 'distributed' })
    return json.lead_id
  }

  /** Reports by body. */
  report(lead: string, body: unknown, { key = this.advertiserKey(), method = 'POST' } = {}): Promise<AdapterResponse> {
    return this.adapter.request(method, `/api/v1/lead/${lead}/status`, { body, headers: { apikey: key } })
  }

  /** Fires the pixel: the lead's postback URL with an event appended. */
  async pixel(lead: string, event: string, more = ''): Promise<AdapterResponse> {
    return this.adapter.request('GET', `${await this.postback(lead)}&event=${event}${more}`)
  }

  /** The path and query of the lead's postback URL. */
  async postback(lead: string, index = 0): Promise<string> {
    const { deliveries } = await this.client.leads.show(lead)
    const accepted = deliveries.filter(({ postback_url }) => postback_url)
    const { pathname, search } = new URL(accepted[index]?.postback_url ?? '')
    return `${pathname}${search}`
  }

  /** A request of the control plane on this tenant. */
  control(method: string, path = '', options: RequestOptions = {}): Promise<AdapterResponse> {
    return this.adapter.request(method, `${tenantsPath}/${this.account.tenant}${path}`, options)
  }

  /** A lead as the control plane shows it. */
  lead(lead: string): Promise<Shown> {
    return this.client.leads.show(lead)
  }

  /** The newest leads, each with all that belongs to it. */
  async wholeLeads(): Promise<Shown[]> {
    const { leads } = (await this.control('GET', '/leads')).json
    const show = async ({ lead_id }: Shown) => (await this.control('GET', `/leads/${lead_id}`)).json
    return Promise.all(leads.map(show))
  }

  /** The callbacks in the tenant's inbox, oldest first, once there are so many; at most five hundred. */
  async inbox(atLeast: number): Promise<Awaited<ReturnType<TenantControl['inbox']['show']>>['callbacks']> {
    const callbacks = async () => (await this.client.inbox.show({ limit: 500 })).callbacks.toReversed()
    await expect.poll(async () => (await callbacks()).length).toBeGreaterThanOrEqual(atLeast)
    return callbacks()
  }

  /** The lead's callbacks, once none is pending. */
  async settledCallbacks(lead: string): Promise<Shown> {
    const pending = async () =>
      (await this.client.leads.show(lead)).callbacks.filter(({ state }) => state === 'pending')
    await expect.poll(pending).toEqual([])
    return (await this.lead(lead)).callbacks
  }

  async change(change: object): Promise<void> {
    this.account = await this.client.update(change)
  }
}

/** Creates a tenant by fields of the wire; what is not given has its default. */
export async function createTenant(adapter: Adapter, creation: object = {}): Promise<Tenant> {
  const { status, json } = await adapter.request('POST', tenantsPath, { body: creation })
  if (status >= 400) throw new ControlError('createTenant', status, json)
  return new Tenant(adapter, json)
}

/** Changes to the smallest body: values by their dotted path; undefined removes a field. */
export type Changes = Readonly<Record<string, unknown>>

/** A body after its changes. Objects on the way that are missing are made. */
function withChanges(body: LeadSubmission, changes: Changes): LeadSubmission {
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    // biome-ignore lint/suspicious/noExplicitAny: a scenario may set what no type allows.
    const place = names.reduce((object: any, name) => {
      object[name] ??= {}
      return object[name]
    }, body)
    if (value === undefined) delete place[last]
    else place[last] = structuredClone(value)
  }
  return body
}

/** A minimal valid body for the account's active product. */
export function submissionOf({ publisher, products }: Account, email: string): LeadSubmission {
  return {
    product_id: products.find(({ active }) => active)?.product_id ?? '',
    publisher_id: publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba' },
      contact: { email: { address: email } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: { entries: [consent('terms'), consent('privacy_policy')] },
  }
}

/** An accepted consent, or a declined one. */
export function consent(type: string, accepted = true) {
  return { type, accepted, accepted_at: accepted ? '2026-01-31T09:30:00Z' : null, version: '1' }
}

/** Consent metadata from an address that no product treats as fraud. */
export const metadata = { ip_address: '203.0.113.7', collected_at: '2026-01-31T09:30:00Z' }
