import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import {
  createConsents,
  createPublisher,
  type LeadSubmission,
  type SubmittedLead,
} from '@lead-distribution/publisher-sdk'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'

/** The end of each lead, and after how many turns of the event loop the server answers. */
const fates = {
  distributed: 'answered',
  rejected: 'answered',
  reset: 'unknown',
  unavailable: 'unknown',
  mismatch: 'failed',
  invalid: 'failed',
} as const
const fate = fc.record({
  fate: fc.constantFrom(...(Object.keys(fates) as (keyof typeof fates)[])),
  turns: fc.nat({ max: 6 }),
})

const run = fc.record({
  leads: fc.array(fate, { maxLength: 25 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  maxUnanswered: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
  source: fc.constantFrom('at hand', 'to come'),
  end: fc.constantFrom('none', 'abort', 'source', 'left'),
  /** At which lead the end comes. */
  at: fc.nat({ max: 25 }),
})

const consent = { version: '1', document_url: null, accepted: true }
const consents = createConsents({
  ip_address: '198.51.100.7',
  entries: { terms: consent, privacy_policy: consent },
})

function leadOf(name: string, { fate }: { fate: keyof typeof fates }): LeadSubmission {
  return {
    product_id: fate === 'invalid' ? '' : '11111111-1111-4111-8111-111111111111',
    publisher_id: '22222222-2222-4222-8222-222222222222',
    customer: {
      external_id: name,
      personal_data: { first_name: 'Ana', last_name: 'García' },
      contact: { email: { address: `ana-${name}@example.com` } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents,
  }
}

/** A service on a real socket that gives each lead of a run its end. */
async function startService() {
  const current = {
    run: 0,
    fates: [] as { fate: keyof typeof fates; turns: number }[],
    onLead: (_number: number) => {},
  }
  const seen = { reached: [] as number[], atOnce: 0, most: 0 }
  const bodies = {
    distributed: [200, { lead_id: 'l', status: 'distributed', redirect_url: 'https://advertiser.example/' }],
    rejected: [200, { status: 'rejected', rejection_reason: 'blacklisted' }],
    unavailable: [503, {}],
    mismatch: [422, { error: 'publisher_mismatch' }],
  } as const
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const [of, number] = JSON.parse(body).customer.external_id.split('-').map(Number)
    // A lead of an earlier run, that was aborted while it was on its way.
    if (of !== current.run) return request.socket.resetAndDestroy()
    seen.reached.push(number)
    seen.atOnce += 1
    seen.most = Math.max(seen.most, seen.atOnce)
    response.once('close', () => {
      seen.atOnce -= 1
    })
    current.onLead(number)
    const { fate = 'distributed', turns = 0 } = current.fates[number] ?? {}
    for (let passed = 0; passed < turns; passed += 1) await turn()
    if (fate === 'reset' || fate === 'invalid') return request.socket.resetAndDestroy()
    const [status, reply] = bodies[fate]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const publisher = createPublisher({ baseUrl, apiKey: 'sandbox_key', maxRetries: 0 })
  return { publisher, current, seen }
}

/** Expects that the state of a lead says the truth about whether it reached the service. */
function expectTruth(each: SubmittedLead, reached: boolean) {
  if (each.state === 'not_sent' || (each.state === 'failed' && each.error.sent === 'no')) expect(reached).toBe(false)
  else if (each.state !== 'unknown') expect(reached).toBe(true)
}

it('gives each lead that it took once and in order, sends none twice, and says of none that reached the service that nothing was sent', async () => {
  const { publisher, current, seen } = await startService()
  await fc.assert(
    fc.asyncProperty(run, async ({ leads: planned, concurrency, maxUnanswered, source, end, at }) => {
      current.run += 1
      const leads = planned.map((each, number) => leadOf(`${current.run}-${number}`, each))
      const controller = new AbortController()
      current.fates = planned
      current.onLead = number => {
        if (end === 'abort' && number >= at) controller.abort()
      }
      Object.assign(seen, { reached: [], atOnce: 0, most: 0 })
      const own = new Error('source')
      let taken = 0
      function* atHand() {
        for (const lead of leads) {
          if (end === 'source' && taken >= at) throw own
          taken += 1
          yield lead
        }
      }
      async function* toCome() {
        for (const lead of atHand()) {
          if ((planned[taken - 1]?.turns ?? 0) > 3) await turn()
          yield lead
        }
      }
      const settled: SubmittedLead[] = []
      const submitted = publisher.submitMany(source === 'at hand' ? atHand() : toCome(), {
        concurrency,
        maxUnanswered,
        signal: controller.signal,
        onProgress: (progress, each) => {
          expect(progress.underWay).toBeLessThanOrEqual(concurrency)
          if (each) settled.push(each)
        },
      })
      const read: SubmittedLead[] = []
      const thrown = await (async () => {
        for await (const each of submitted) {
          read.push(each)
          if (end === 'left' && each.index >= at) break
        }
      })().then(
        () => undefined,
        error => error,
      )
      const { progress } = submitted
      // Each once, in order, and nothing that was taken is passed over.
      expect(read.map(({ index }) => index)).toEqual(read.map((_, place) => place))
      expect(read.every(({ index, lead }) => lead === leads[index])).toBe(true)
      expect(settled.map(({ index }) => index).sort((a, b) => a - b)).toEqual(settled.map((_, place) => place))
      expect(settled).toHaveLength(progress.taken)
      if (end !== 'left') expect(read).toHaveLength(progress.taken)
      if (source === 'at hand') expect(taken).toBe(progress.taken)
      // Nothing is sent twice, and what is said of a lead is true.
      expect(new Set(seen.reached).size).toBe(seen.reached.length)
      expect(seen.most).toBeLessThanOrEqual(end === 'abort' ? Number.POSITIVE_INFINITY : concurrency)
      for (const each of settled) {
        expectTruth(each, seen.reached.includes(each.index))
        const fate = planned[each.index]?.fate ?? 'invalid'
        if (!controller.signal.aborted && each.state !== 'not_sent') expect(each.state).toBe(fates[fate])
      }
      // It says why it ended, and leaves nothing behind.
      const ends = { none: 'complete', abort: 'aborted', source: 'source_failed', left: 'left' } as const
      expect(['complete', 'unanswered', ends[end]]).toContain(progress.ended)
      if (progress.ended === 'unanswered') {
        expect(progress.unknown).toBeGreaterThanOrEqual(maxUnanswered)
        if (maxUnanswered === 1) expect(progress.unknown).toBeLessThanOrEqual(concurrency)
        if (source === 'at hand' && end === 'none') expect(read).toHaveLength(leads.length)
      }
      const thrownAt = { unanswered: [own, undefined], source_failed: [own] }
      expect(Object(thrownAt)[String(progress.ended)] ?? [undefined]).toContain(thrown)
      expect([progress.underWay, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
    }),
    { numRuns: 150 },
  )
})
