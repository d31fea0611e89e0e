import { createServer } from 'node:http'
import { PGlite } from '@electric-sql/pglite'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createPublisher, type Lead } from '@lead-distribution/publisher-sdk'
import { CallbackRefusedError } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, onTestFinished, vi } from 'vitest'
import { listenInTest } from '../adapters/receiver.ts'
import type { Tenant } from '../adapters/tenant.ts'
import {
  pausesForRetryAfter,
  stopsAfterLostReplies,
  stopsWithoutConnection,
  submitsEachOnce,
} from './many-leads.fixture.ts'
import { callbackOf, callbackSecret, callbacksTo, expectClaims, publisherNames } from './publisher-sdk.fixture.ts'
import { runAsserting, testBlocks } from './run-blocks.fixture.ts'

testBlocks({
  paths: [
    'packages/publisher-sdk/README.md',
    'docs/sdks/many-leads.md',
    'docs/sdks/callbacks.md',
    'docs/sdks/retries.md',
    'docs/sdks/logging.md',
    'docs/sdks/runtimes.md',
  ],
  namesFile: 'publisher-sdk.fixture.ts',
  namesFor: publisherNames,
  blocks: {
    apply: async ({ code, run, names, tenant }) => {
      expect(code.trim().split('\n').length).toBeLessThanOrEqual(20)
      const { apply } = await run()
      const pageOf = async (lead: Lead) => (await apply(lead)).text()
      const leads = createTestLeads(tenant.account)
      const taken: Response = await apply(names.lead)
      expect([taken.status, taken.headers.get('location')]).toEqual([
        303,
        expect.stringMatching(/\/_sandbox\/advertiser\//),
      ])
      expect(await pageOf(names.lead)).toBe('We have no offer for you at present.')
      const later = 'Thank you. We will write to you.'
      expect(await pageOf(leads.new())).toBe(later)
      await addFault(tenant, { lost_reply: true })
      expect(await pageOf(leads.distributed())).toBe(later)
      vi.stubGlobal('fetch', async () => Response.json({ status: 'queued', lead_id: crypto.randomUUID() }))
      expect(await pageOf(leads.distributed())).toBe(later)
      const outcomes = vi.mocked(names.database.saveResult).mock.calls.map(([, { outcome }]) => outcome)
      expect(outcomes).toEqual(['distributed', 'rejected', 'new', 'unknown', 'unrecognized'])
    },

    install: async ({ code }) => expect(code).toBe('npm install @lead-distribution/publisher-sdk'),

    'the-lead': async ({ run, names, tenant }) => {
      const { lead } = await run()
      const result = await names.publisher.submit(lead)
      expect(result.outcome).toBe('distributed')
      const { submission } = await tenant.lead(result.lead_id ?? '')
      expect(submission).toMatchObject(lead)
      expect(submission.tracking).toEqual({
        click_id: 'click-1',
        campaign_id: 'spring',
        source: 'https://publisher.example/loans',
      })
    },

    'submit-again': async ({ run, names, tenant }) => {
      const { submitAgain } = await run()
      await addFault(tenant, { lost_reply: true })
      expect((await names.publisher.submit(names.lead)).outcome).toBe('unknown')
      await submitAgain(names.lead)
      expect(names.database.saveResult).not.toHaveBeenCalled()
      const lead = createTestLeads(tenant.account).distributed()
      await submitAgain(lead)
      expect(names.database.saveResult).toHaveBeenCalledExactlyOnceWith(
        lead,
        expect.objectContaining({ outcome: 'distributed' }),
      )
    },

    'callback-url': async ({ run }) => {
      const { url, secret } = await run()
      expect(url).toBe(`https://publisher.example/callbacks/${secret}`)
    },

    receiver: async ({ run, names, tenant }) => {
      vi.stubEnv('CALLBACK_SECRETS', `the-secret-of-the-url-before-this-one-00,${callbackSecret}`)
      const { receive } = await run()
      const lead = await tenant.distributedLead()
      const server = createServer(nodeCallbacks(receive))
      expect(await callbacksTo(tenant, server, callbackSecret, lead, 'loan_issued')).toEqual(['delivered'])
      const event = { lead_id: lead, event: 'approved', rawEvent: 'loan_issued', assurance: 'url_secret' }
      expect(names.queue.add).toHaveBeenCalledExactlyOnceWith(event)
      names.database.hasLead = async () => false
      expect(await (await receive(callbackOf(lead, 'completed'))).json()).toEqual({ status: 'parked' })
      expect(names.database.saveEvent).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ event: 'completed' }))
      expect((await receive(callbackOf(lead, 'completed', 'guessed'))).status).toBe(404)
    },

    'node-http': async ({ run, tenant }) => {
      const { server } = await run()
      const lead = await tenant.distributedLead()
      expect(await callbacksTo(tenant, server, callbackSecret, lead, 'registration')).toEqual(['delivered'])
    },

    'in-process': async block => {
      await runAsserting(block, 2)
      expect((await block.tenant.control('GET', '/requests')).json.requests).toEqual([])
    },

    'many-leads': async block => {
      await submitsEachOnce(block)
      await stopsAfterLostReplies(block)
      await pausesForRetryAfter(block)
      await stopsWithoutConnection(block)
    },

    'claims-in-redis': async ({ run }) => expectClaims((await run()).claims),

    claims: async ({ code, run, names }) => {
      const postgres = await PGlite.create()
      try {
        await postgres.exec(/CREATE TABLE .*?\n {3}\)/s.exec(code)?.[0] ?? 'The README shows no table.')
        names.database.query = async (sql, values) => {
          const { rows, affectedRows } = await postgres.query(sql, values)
          return { rowCount: rows.length || (affectedRows ?? 0) }
        }
        await expectClaims((await run()).claims)
      } finally {
        await postgres.close()
      }
    },

    'verify-callback': async ({ run }) => {
      vi.stubEnv('CALLBACK_SECRETS', callbackSecret)
      const { eventOf } = await run()
      const events: unknown[] = []
      const server = createServer(async (message, response) => {
        const verified = await eventOf(message).catch((error: CallbackRefusedError) => error)
        events.push(verified)
        response.writeHead(verified instanceof CallbackRefusedError ? verified.status : 200).end()
      })
      const url = await listenInTest(server)
      const lead_id = crypto.randomUUID()
      const statusOf = async (secret: string) =>
        (await fetch(callbackOf(lead_id, 'loan_issued', secret).url.replace('https://publisher.example', url))).status
      expect([await statusOf(callbackSecret), await statusOf('wrong')]).toEqual([200, 404])
      expect(events[0]).toEqual({ lead_id, event: 'approved', rawEvent: 'loan_issued', assurance: 'url_secret' })
    },

    'test-callbacks': async block => {
      await runAsserting(block, 2)
      expect(block.names.queue.add).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ event: 'approved', rawEvent: 'loan_issued' }),
      )
    },

    limits: async ({ run, tenant }) => {
      await addFault(tenant, { status: 429 }, 2)
      await expect(run()).rejects.toMatchObject({ code: 'rate_limit', meta: { attempts: 2 } })
      expect((await run()).result.outcome).toBe('distributed')
    },

    errors: async ({ run, names, tenant }) => {
      const { submitOrQueue } = await run()
      const product_data = { ...names.lead.product_data, loan_amount: 499 }
      expect(await submitOrQueue({ ...names.lead, product_data })).toEqual([
        { field: 'product_data.loan_amount', issue: expect.any(String) },
      ])
      const { base_url: baseUrl, publisher } = tenant.account
      names.publisher = createPublisher({ baseUrl, apiKey: publisher.api_key, maxRetries: 0 })
      await addFault(tenant, { status: 429 })
      await (await run()).submitOrQueue(names.lead)
      expect(names.queue.add).toHaveBeenCalledExactlyOnceWith({ lead: names.lead })
      names.publisher = createPublisher({ baseUrl, apiKey: 'sandbox_wrong' })
      await expect((await run()).submitOrQueue(names.lead)).rejects.toMatchObject({ code: 'auth' })
    },

    headers: async ({ run, tenant }) => {
      const { result, rejects } = await run()
      const rejected = await rejects.submit(createTestLeads(tenant.account).distributed())
      expect([result.rejection_reason, rejected.rejection_reason]).toEqual(['fraud_suspected', 'age_restriction'])
    },

    proxy: async ({ run, names }) => {
      const asked: (string | undefined)[] = []
      const proxy = createServer().on('connect', ({ url }, socket) => {
        asked.push(url)
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
      })
      vi.stubEnv('HTTPS_PROXY', await listenInTest(proxy))
      const { publisher } = await run()
      expect((await publisher.submit(names.lead)).outcome).toBe('unknown') // as the page says
      expect(asked).toEqual(['acme.leads.example:443'])
    },

    logging: async ({ run, names }) => {
      const { publisher } = await run()
      const { meta } = await publisher.submit(names.lead)
      const logged = vi.mocked(names.logger.info).mock.calls.map(([event]) => event)
      expect(logged).toMatchObject([
        { type: 'attempt', callId: meta.callId },
        { type: 'reply', status: 200 },
      ])
      expect(JSON.stringify(logged)).not.toMatch(/key|example\.com|Ana/)
    },

    pino: async ({ run, names }) => {
      vi.stubEnv('LOG_LEVEL', 'silent')
      const { publisher, log } = await run()
      const info = vi.spyOn(log, 'info')
      const { meta } = await publisher.submit(names.lead)
      expect(info.mock.calls).toEqual([
        [expect.objectContaining({ callId: meta.callId }), 'lead: attempt'],
        [expect.objectContaining({ status: 200 }), 'lead: reply'],
      ])
    },

    opentelemetry: async ({ run, names, tenant }) => {
      const spans: object[] = []
      const startSpan = (name: string, { attributes }: { attributes: object }) => {
        const span = { name, ...attributes, ended: false }
        spans.push(span)
        return {
          setAttribute: (key: string, value: unknown) => Object.assign(span, { [key]: value }),
          setStatus: (status: object) => Object.assign(span, status),
          end: () => Object.assign(span, { ended: true }),
        }
      }
      trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) } as never)
      // Another test file's sandbox in this process would find the API by its global, and record its spans there.
      onTestFinished(() => {
        trace.disable()
        Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'))
      })
      await addFault(tenant, { status: 429 })
      await (await run()).publisher.submit(names.lead)
      const span = { name: 'submitLead', 'http.request.method': 'POST', ended: true }
      expect(spans).toEqual([
        { ...span, 'http.request.resend_count': 0, 'http.response.status_code': 429, code: SpanStatusCode.ERROR },
        { ...span, 'http.request.resend_count': 1, 'http.response.status_code': 200 },
      ])
    },

    'frozen-host': async ({ run, names }) => {
      const { publisher } = await run()
      const { fetch } = globalThis
      const connections: (string | null)[] = []
      vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
        connections.push(new Headers(init.headers).get('connection'))
        return fetch(url, init)
      })
      expect((await publisher.submit(names.lead)).outcome).toBe('distributed')
      expect(connections).toEqual(['close'])
    },

    jest: async ({ code }) => expect(code).toContain('transformIgnorePatterns'),
  },
})

/** Makes the next submissions fail. */
async function addFault(tenant: Tenant, effect: object, times = 1) {
  const body = { match: { operation: 'submitLead' }, effect, times }
  expect(await tenant.control('POST', '/faults', { body })).toMatchObject({ status: 201 })
}
