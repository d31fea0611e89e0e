import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { type RunningExample, runExample } from './run-example.ts'

/** A customer who must not appear in any log. */
export const customer = {
  first_name: 'Planted-Ximena',
  last_name: 'O"Planted <b>',
  email: 'planted.customer@example.com',
}

/** The completed form, as a browser sends it. */
export const filledIn = {
  ...customer,
  loan_amount: '5000',
  loan_term_months: '24',
  loan_purpose: 'home_improvement',
  gender: 'female',
  occupation: 'indefinite_employee',
  monthly_income: '1800',
  terms: 'on',
  privacy_policy: 'on',
}

export type Loop = Awaited<ReturnType<typeof openLoop>>

/** A sandbox with a tenant, and the examples that a test starts, each in a separate process. */
export async function openLoop() {
  const adapter = await openExpressAdapter()
  const tenant = await createTenant(adapter)
  const { base_url: LEAD_BASE_URL, publisher } = tenant.account
  const secret = randomBytes(32).toString('base64url')
  const running: RunningExample[] = []

  const start = async (name: 'publisher' | 'advertiser', environment: Record<string, string>): Promise<string> => {
    const example = await runExample(name, { LEAD_BASE_URL, ...environment })
    running.push(example)
    return example.url
  }

  return {
    adapter,
    tenant,
    /** Starts the publisher's site as the receiver of the tenant's callbacks; returns its address. */
    async startPublisher(more: Record<string, string> = {}): Promise<string> {
      const site = await start('publisher', {
        LEAD_PUBLISHER_API_KEY: publisher.api_key,
        PUBLISHER_ID: publisher.publisher_id,
        PRODUCT_ID: tenant.product().product_id,
        CALLBACK_SECRETS: secret,
        ...more,
      })
      await tenant.change({ callback_url: `${site}/callbacks/${secret}` })
      return site
    },
    /** Starts the advertiser's back end as that of the tenant's first advertiser; returns its address. */
    async startAdvertiser(): Promise<string> {
      const backEnd = await start('advertiser', { LEAD_ADVERTISER_API_KEY: tenant.advertiserKey() })
      const { advertiser_id } = tenant.advertiser()
      await tenant.change({ advertisers: [{ advertiser_id, backend_url: `${backEnd}/leads` }] })
      return backEnd
    },
    /** The tenant's only lead, as the control plane shows it. */
    async onlyLead() {
      const leads = await tenant.wholeLeads()
      expect(leads).toHaveLength(1)
      return leads[0]
    },
    /** Injects a fault. */
    async fault(operation: string, effect: object, times = 1): Promise<void> {
      const { status } = await tenant.control('POST', '/faults', { body: { match: { operation }, effect, times } })
      expect(status).toBe(201)
    },
    /** Ends everything, and checks that no example has printed a secret or the customer. */
    async close(): Promise<void> {
      await Promise.all(running.map(example => example.end()))
      const deliveries = (await tenant.wholeLeads()).flatMap(lead => lead.deliveries)
      const tokens = deliveries.flatMap(({ postback_url }) =>
        new URL(postback_url ?? 'none:').searchParams.getAll('token'),
      )
      await adapter.close()
      const secrets = [publisher.api_key, tenant.advertiserKey(), secret, ...tokens, ...Object.values(customer)]
      const printed = running.map(example => example.said()).join('')
      expect(printed).toContain('http://127.0.0.1:')
      expect(secrets.filter(text => printed.includes(text))).toEqual([])
    },
  }
}
