import type { Server } from 'node:http'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import {
  createPublisher,
  type Lead,
  type LeadSubmission,
  type LoanProductData,
  type Publisher,
  type SubmitResult,
} from '@lead-distribution/publisher-sdk'
import {
  type CallbackClaims,
  type CallbackEvent,
  type CallbackReceiver,
  createCallbackReceiver,
} from '@lead-distribution/publisher-sdk/callbacks'
import { expect, vi } from 'vitest'
import { listenInTest } from '../adapters/receiver.ts'
import type { Tenant } from '../adapters/tenant.ts'

/** The names that the code blocks of the publisher SDK's README assume: the client, and the application's own. */
export interface Names {
  publisher: Publisher
  lead: LeadSubmission
  receive: CallbackReceiver
  /** The customer's input, and hidden fields. */
  form: {
    product_id: string
    first_name: string
    last_name: string
    birthday: string
    email: string
    amount: number
    purpose: LoanProductData['loan_purpose']
    months: number
    terms: boolean
    privacy: boolean
    landingPage: string
  }
  /** The HTTP request that submitted the form. */
  request: { ip: string }
  database: {
    saveResult(lead: Lead, result: SubmitResult): Promise<void>
    hasLead(lead_id: string): Promise<boolean>
    saveEvent(event: CallbackEvent): Promise<void>
    query(sql: string, values: unknown[]): Promise<{ rowCount: number | null }>
  }
  /** As in node-redis. */
  redis: {
    get(key: string): Promise<string | null>
    set(key: string, text: string, options: { PX: number; NX?: true }): Promise<string | null>
    del(key: string): Promise<number>
  }
  queue: { add(item: object): Promise<void> }
  logger: Record<'info' | 'warn', (what: unknown) => void>
  /** Renders a page. */
  page(text: string): Response
}

/** The secret at the end of these tests' callback URLs. */
export const callbackSecret = 'secret-in-the-path-of-the-callback-url-0001'

/** An application around the SDK that records its calls. */
export function publisherNames({ account }: Tenant): Names {
  const leads = createTestLeads(account)
  const lead = leads.distributed()
  return {
    publisher: createPublisher({ tenant: 'acme', serviceDomain: 'leads.example' }),
    lead,
    receive: createCallbackReceiver({ verify: { urlSecrets: [callbackSecret] }, handle: vi.fn() }),
    form: {
      product_id: lead.product_id,
      first_name: 'Ana',
      last_name: 'Prueba',
      birthday: '1990-05-01',
      email: lead.customer.contact.email.address,
      amount: 5000,
      purpose: 'home_improvement',
      months: 24,
      terms: true,
      privacy: true,
      landingPage: 'https://publisher.example/loans?gclid=click-1&utm_campaign=spring&email=ana@example.com',
    },
    request: { ip: '203.0.113.7' },
    database: {
      saveResult: vi.fn(async () => undefined),
      hasLead: vi.fn(async () => true),
      saveEvent: vi.fn(async () => undefined),
      query: vi.fn(async () => ({ rowCount: 0 })),
    },
    redis: redisOfMap(),
    queue: { add: vi.fn(async () => undefined) },
    logger: { info: vi.fn(), warn: vi.fn() },
    page: vi.fn(text => new Response(text)),
  }
}

/** The part of Redis that claims need: keys that expire, and an atomic `SET` with `NX`. */
function redisOfMap(): Names['redis'] {
  const entries = new Map<string, { text: string; until: number }>()
  const get = (key: string) => {
    const { text, until = 0 } = entries.get(key) ?? {}
    return until > Date.now() ? (text ?? null) : null
  }
  return {
    get: async key => get(key),
    async set(key, text, { PX, NX }) {
      if (NX && get(key) !== null) return null
      entries.set(key, { text, until: Date.now() + PX })
      return 'OK'
    },
    del: async key => Number(entries.delete(key)),
  }
}

/**
 * Sends a tenant's callbacks to a server, below `/callbacks/` and the secret. Returns their states, once
 * an advertiser has reported an event.
 */
export async function callbacksTo(tenant: Tenant, server: Server, secret: string, lead: string, event: string) {
  await tenant.change({ callback_url: `${await listenInTest(server)}/callbacks/${secret}` })
  expect((await tenant.pixel(lead, event)).json).toMatchObject({ status: 'received' })
  const callbacks = await tenant.settledCallbacks(lead)
  return callbacks.map(({ state }: { state: string }) => state)
}

/** A callback as the service sends it. */
export function callbackOf(lead: string, event: string, secret = callbackSecret) {
  return new Request(`https://publisher.example/callbacks/${secret}?lead_id=${lead}&event=${event}`)
}

/** Expects that claims hold across receivers in several processes, expire with their lease, and stay once confirmed. */
export async function expectClaims(claims: CallbackClaims) {
  const lead = crypto.randomUUID()
  const handled: string[] = []
  const receive = () =>
    createCallbackReceiver({
      verify: { urlSecrets: [callbackSecret] },
      claims,
      onError: () => {},
      handle({ rawEvent }) {
        handled.push(rawEvent)
        if (handled.length === 1) throw new Error('The first try fails.')
      },
    })(callbackOf(lead, 'approved'))
  const statuses = [await receive(), await receive(), await receive()].map(reply => reply.status)
  expect([statuses, handled]).toEqual([
    [500, 200, 200],
    ['approved', 'approved'],
  ])

  const claim = (leaseMs: number, event = 'completed') => ({
    lead_id: lead,
    event,
    token: crypto.randomUUID(),
    leaseMs,
  })
  const [slow, next] = [claim(1), claim(600_000)]
  expect(await claims.claim(slow)).toBe('claimed')
  await expect.poll(() => claims.claim(next)).toBe('claimed')
  await claims.release(slow)
  expect(await claims.claim(claim(1))).toBe('busy')
  await claims.confirm(slow)
  await claims.release(next)
  expect(await claims.claim(claim(1))).toBe('done')
  const [late, failed] = [claim(1, 'rejected'), claim(600_000, 'rejected')]
  await claims.claim(late)
  await expect.poll(() => claims.claim(failed)).toBe('claimed')
  await claims.release(failed)
  await claims.confirm(late)
  expect(await claims.claim(claim(1, 'rejected'))).toBe('done')
  const many = Array.from({ length: 20 }, () => claims.claim(claim(600_000, 'defaulted')))
  expect((await Promise.all(many)).filter(result => result === 'claimed')).toHaveLength(1)
}
