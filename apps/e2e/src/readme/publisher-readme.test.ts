import { createServer } from 'node:http'
import { PGlite } from '@electric-sql/pglite'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createPublisher, LeadSdkError } from '@lead-distribution/publisher-sdk'
import { CallbackRefusedError } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, vi } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'
import { callbacksTo, openOnFreePort } from './callbacks-to.fixture.ts'
import { callbackOf, expectClaims } from './claims.fixture.ts'
import { followReadme, runAsserting } from './follow-readme.fixture.ts'
import { callbackSecret, publisherNames } from './publisher-names.fixture.ts'

followReadme({
  files: [
    'packages/publisher-sdk/README.md',
    'docs/sdks/many-leads.md',
    'docs/sdks/callbacks.md',
    'docs/sdks/retries.md',
    'docs/sdks/logging.md',
    'docs/sdks/runtimes.md',
  ],
  namesFile: 'publisher-names.ts',
  namesFor: publisherNames,
  blocks: {
    install: async ({ code }) => expect(code).toBe('npm install @lead-distribution/publisher-sdk\n'),

    'ten-lines': async ({ run, tenant, names }) => {
      const { apply } = await run()
      const taken = await apply(names.lead)
      expect([taken.status, taken.headers.get('location')]).toEqual([
        303,
        expect.stringMatching(/\/_sandbox\/advertiser\//),
      ])
      const refused = await apply(names.lead)
      expect(refused.headers.get('location')).toBe('https://publisher.example/thank-you')
      expect((await tenant.control('GET', '/leads')).json.leads).toMatchObject([{ lead_id: expect.any(String) }])
    },

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

    'the-outcomes': async ({ run, names }) => {
      const { answer } = await run()
      const sent = await names.publisher.submit(names.lead)
      expect(answer(sent).status).toBe(303)
      const repeated = await names.publisher.submit(names.lead)
      expect(await answer(repeated).text()).toBe('We have no offer for you at present.')
      expect(names.logger.info).toHaveBeenCalledWith({ reason: 'customer_already_exists' })
    },

    'lost-reply': async ({ run, names, tenant }) => {
      await addFault(tenant, { lost_reply: true })
      const { submit, submitAgain } = await run()
      expect(await submit(names.lead)).toBeUndefined()
      const attempt = { callId: expect.any(String), at: expect.any(String) }
      expect(names.database.saveUnknown).toHaveBeenCalledExactlyOnceWith(names.lead, attempt)
      const again = await submitAgain(names.lead, { callId: 'x', at: 'y' })
      expect(again).toMatchObject({ outcome: 'rejected', mayBeOwnEarlierAttempt: true })
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
      await runAsserting(block, 4)
      expect((await block.tenant.control('GET', '/requests')).json.requests).toEqual([])
    },

    'many-leads': async ({ run, names, tenant }) => {
      const { submitAll } = await run()
      const leads = createTestLeads(tenant.account)
      const many = [leads.distributed(), leads.ageRestricted(), names.lead, leads.validationError()]
      expect(await submitAll(many, new AbortController().signal)).toBe('complete')
      const saved = vi.mocked(names.database.saveResult).mock.calls.map(([lead, { outcome }]) => [lead, outcome])
      expect(saved).toEqual([
        [many[0], 'distributed'],
        [many[1], 'rejected'],
        [many[2], 'distributed'],
      ])
      expect(names.logger.warn).toHaveBeenCalledExactlyOnceWith({
        index: 3,
        error: expect.objectContaining({ code: 'validation' }),
      })
      expect(names.logger.info).toHaveBeenLastCalledWith(expect.objectContaining({ taken: 4, failed: 1 }))
      expect(await submitAll(many, AbortSignal.abort())).toBe('aborted')
    },

    'many-again': async ({ run, names, tenant }) => {
      await addFault(tenant, { lost_reply: true })
      const { submitAllAgain } = await run()
      const error = await names.publisher.submit(names.lead).then(null, reason => reason)
      const other = createTestLeads(tenant.account).distributed()
      const { attempt } = error
      await submitAllAgain([names.lead, other].map(lead => ({ lead, previousAttempt: attempt })))
      // The first lead exists: what the service says of it is no refusal.
      expect(names.database.saveResult).toHaveBeenCalledExactlyOnceWith(
        other,
        expect.objectContaining({ outcome: 'distributed' }),
      )
      expect(names.database.saveUnknown).not.toHaveBeenCalled()
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
      const url = await openOnFreePort(server)
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
      vi.stubEnv('HTTPS_PROXY', await openOnFreePort(proxy))
      const { publisher } = await run()
      await expect(publisher.submit(names.lead, { maxRetries: 0 })).rejects.toSatisfy(LeadSdkError.is)
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
      await addFault(tenant, { status: 429 })
      await (await run()).publisher.submit(names.lead)
      const span = { name: 'submitLead', 'http.request.method': 'POST', ended: true }
      expect(spans).toEqual([
        { ...span, 'http.request.resend_count': 0, 'http.response.status_code': 429, code: SpanStatusCode.ERROR },
        { ...span, 'http.request.resend_count': 1, 'http.response.status_code': 200 },
      ])
    },

    jest: async ({ code }) => expect(code).toContain('transformIgnorePatterns'),
  },
})

/** Has the next submissions fail. */
async function addFault(tenant: Tenant, effect: object, times = 1) {
  const body = { match: { operation: 'submitLead' }, effect, times }
  expect(await tenant.control('POST', '/faults', { body })).toMatchObject({ status: 201 })
}
