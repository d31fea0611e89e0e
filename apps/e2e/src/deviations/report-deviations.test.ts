import { type ConformanceCase, cases, createTarget, factsOfAccount, runCases } from '@lead-distribution/conformance'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { fetchThrough, targetThrough } from '../adapters/conformance-target.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { type Deviation, deviatingFetch, inJson, type Passing, type Returning } from './deviating-service.fixture.ts'

const ofReports = cases.filter(
  ({ needs = [] }: ConformanceCase) =>
    (needs.includes('advertiser') || needs.includes('second_advertiser')) && !needs.includes('callbacks'),
)

let adapter: Adapter
beforeAll(async () => {
  adapter = await openMemoryAdapter()
})
afterAll(() => adapter.close())

const isReport = ({ target }: Passing) => target.includes('/status')
const isBody = (passing: Passing) => isReport(passing) && (passing.method === 'POST' || passing.method === 'PATCH')
const isPixel = (passing: Passing) => isReport(passing) && passing.method === 'GET'

function refuse(returning: Returning, status: number): void {
  const details = status === 400 ? { details: [{ field: 'body', issue: 'is wrong' }] } : {}
  const body = Buffer.from(JSON.stringify({ error: 'refused', message: 'It is refused.', ...details }))
  Object.assign(returning, { status, headers: { 'content-type': 'application/json' }, body })
}

/** Changes what is reported by body. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation does to it what it likes.
const bodies = (change: (report: any) => void): Deviation => ({
  request: passing => {
    if (isBody(passing)) inJson(passing, report => (report && !Array.isArray(report) ? change(report) : undefined))
  },
})

/** Changes the query of the pixel. */
const queries = (change: (target: string) => string): Deviation => ({
  request: passing => {
    if (isPixel(passing)) passing.target = change(passing.target)
  },
})

/** Refuses the calls that it is true of. */
const refusing = (status: number, isOne: (passing: Passing, returning: Returning) => boolean): Deviation => ({
  reply: (returning, passing) => {
    if (isReport(passing) && isOne(passing, returning)) refuse(returning, status)
  },
})

/** Of each deviation: the cases that find it, and all that may fail by it. */
const deviations: Record<string, readonly [Deviation, finds: readonly string[], within: RegExp]> = {
  'amounts that are coerced': [
    bodies(({ metadata }) => {
      if (typeof metadata?.amount === 'string') metadata.amount = Number(metadata.amount)
    }),
    ['4.2/refuses-an-amount-that-is-a-text', 'open/refuses-an-amount-that-is-a-text-with-400'],
    /an-amount-that-is-a-text/,
  ],
  'terms that are rounded': [
    bodies(({ metadata }) => {
      if (metadata?.term_months === 1.5) metadata.term_months = 2
    }),
    ['4.2/refuses-a-term-of-a-month-and-a-half'],
    /a-term-of-a-month-and-a-half/,
  ],
  'an advertiser_id that is not looked at': [
    bodies(report => {
      delete report.advertiser_id
    }),
    ['4.2/refuses-an-advertiser_id-that-is-no-uuid', 'open/refuses-an-advertiser_id-that-is-not-the-keys-own-with-400'],
    /advertiser_id/,
  ],
  'a status that has to have an amount': [
    refusing(400, passing => isBody(passing) && !passing.body.includes('"amount"')),
    ['4.2/takes-post-or-patch', '4.2/takes-converted'],
    /./,
  ],
  'a repeat that is a conflict': [
    (() => {
      const seen = new Set<string>()
      return refusing(409, (passing, { status }) => {
        if (!isBody(passing) || status !== 200) return false
        const report = `${passing.target} ${passing.body}`
        return seen.has(report) || !seen.add(report)
      })
    })(),
    ['open/answers-the-repeat-alike'],
    /repeat/,
  ],
  'a lead of somebody else that is forbidden': [
    refusing(403, (_passing, { status }) => status === 404),
    [
      'open/hides-leads-of-other-advertisers',
      'open/does-not-find-an-unknown-lead',
      'open/hides-leads-of-no-advertiser',
    ],
    /lead/,
  ],
  'names that have to be of the pixel’s list': [
    refusing(400, passing => isBody(passing) && passing.body.includes('loan_')),
    ['open/takes-the-status-loan_issued', 'open/repeats-each-name'],
    /loan_|repeats-each-name/,
  ],
  'a publisher that may report': [
    {
      request: (passing, rightKey) => {
        if (isBody(passing) && passing.headers.apikey?.includes('_pub_')) passing.headers.apikey = rightKey
      },
    },
    ['5/refuses-a-status-with-the-publishers-key', 'open/says-unauthorized-alike'],
    /publishers-key|unauthorized-alike/,
  ],
  'a reason with each 401': [
    {
      reply: (returning, passing) => {
        if (returning.status === 401) inJson(returning, json => ({ ...json, message: `No: ${passing.target.length}.` }))
      },
    },
    ['open/says-unauthorized-alike', 'open/says-one-401-for-every-token'],
    /alike|one-401/,
  ],
  'a pixel that takes capital letters': [
    queries(target => target.replace(/event=([A-Z]+)$/, (_all, event: string) => `event=${event.toLowerCase()}`)),
    ['open/refuses-an-event-in-capital-letters-with-400'],
    /capital-letters/,
  ],
  'a token that is hexadecimal in any letters': [
    queries(target => target.replace(/token=([0-9A-F]{64})/, (_all, token: string) => `token=${token.toLowerCase()}`)),
    ['open/compares-the-letter-case-of-a-token'],
    /letter-case-of-a-token|one-401/,
  ],
  'an event that is not needed': [
    queries(target => (/[?&]event=/.test(target) ? target : `${target}&event=approved`)),
    ['4.3/needs-an-event', 'open/names-the-missing-event'],
    /event$/,
  ],
  'references that are not taken': [
    refusing(400, ({ target }) => target.includes('&ref=')),
    ['4.3/takes-a-plain-reference', '4.3/takes-an-escaped-reference'],
    /reference|one-401/,
  ],
  'references of any length': [
    queries(target => target.replace(/&ref=r{256}/, '&ref=r')),
    ['open/refuses-a-reference-of-256-characters'],
    /256/,
  ],
  'a pixel that calls events as they were reported': [
    {
      reply: (returning, passing) => {
        const reported = /[?&]event=(loan_\w+)/.exec(passing.target)?.[1]
        if (isPixel(passing) && reported)
          inJson(returning, json => {
            if (json.event) json.event = reported
          })
      },
    },
    ['6.1/takes-loan_issued', 'open/takes-approved-and-loan_issued-for-one'],
    /loan_/,
  ],
  'a pixel that answers HEAD': [
    refusing(200, ({ method }) => method === 'HEAD'),
    ['open/records-nothing-by-head'],
    /head/,
  ],
}

it.each(Object.entries(deviations))('finds %s', async (_words, [deviation, finds, within]) => {
  const { tenant } = await targetThrough(adapter)
  const fetch = deviatingFetch(fetchThrough(adapter), tenant.advertiserKey(), deviation)
  const target = createTarget({ facts: factsOfAccount(tenant.account), fetch, patienceMs: 100 })
  const results = await runCases(ofReports, target, { concurrency: 4 })
  const failing = results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  expect(failing).toEqual(expect.arrayContaining([...finds]))
  expect(failing.filter(id => !within.test(id))).toEqual([])
})
