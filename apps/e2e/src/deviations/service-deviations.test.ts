import { type ConformanceCase, cases, createTarget, factsOfAccount, runCases } from '@lead-distribution/conformance'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { fetchThrough, targetThrough } from '../adapters/conformance-target.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { type Deviation, deviatingFetch, inJson, type Passing, type Returning } from './deviating-service.fixture.ts'

/** Deviations from the specification, as in services written after a quick read of it. */
type Deviations = Readonly<
  Record<
    string,
    readonly [
      deviation: Deviation,
      /** Cases that must fail. */
      finds: readonly string[],
      /** For a narrow deviation: a pattern of all cases that may fail. */
      within?: RegExp,
    ]
  >
>

const isLead = ({ method, target }: Passing) =>
  method === 'POST' && target.startsWith('/api/v1/lead') && !target.includes('status')

/** Changes the body of each submission. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation may change anything.
const submissions = (change: (lead: any) => void): Deviation => ({
  request: passing => {
    if (isLead(passing)) inJson(passing, change)
  },
})

/** Changes the JSON of each response to a submission. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation may change anything.
const replies = (change: (json: any) => unknown): Deviation => ({
  reply: (returning, passing) => {
    if (isLead(passing)) inJson(returning, change)
  },
})

const leadDeviations: Deviations = {
  'a redirect for a new lead': [
    replies(json => {
      if (json.status === 'new') json.redirect_url = 'https://advertiser.example/'
    }),
    [
      '3/stores-a-lead-that-no-advertiser-accepts-as-new',
      '2.12/rejects-a-second-lead-of-a-customer-whose-first-is-new',
    ],
  ],
  'a rejection without its reason': [
    replies(json => {
      delete json.rejection_reason
    }),
    [
      '2.12/rejects-a-lead-as-age_restriction',
      '2.12/rejects-a-second-lead-with-the-same-email-and-product',
      '2.12/rejects-a-lead-as-income_insufficient',
    ],
  ],
  'business rejections sent as 422': [
    {
      reply(returning) {
        inJson(returning, json => {
          if (json.status !== 'rejected') return
          returning.status = 422
          return { error: json.rejection_reason, message: 'Rejected.' }
        })
      },
    },
    [
      '2.12/rejects-a-lead-as-age_restriction',
      '2.12/rejects-a-second-lead-with-the-same-email-and-product',
      '2.12/rejects-a-lead-as-geographic_restriction',
    ],
  ],
  'one lead_id for every lead': [
    replies(json => {
      if (json.lead_id) json.lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
    }),
    ['2.12/gives-each-lead-its-own-id'],
  ],
  'integers coerced from strings': [
    submissions(lead => {
      for (const [name, value] of Object.entries(lead?.product_data ?? {}))
        if (typeof value === 'string' && /^\d+$/.test(value)) lead.product_data[name] = Number(value)
    }),
    ['open/refuses-to-coerce-product_data.loan_amount', 'open/refuses-to-coerce-product_data.loan_term_months'],
    /^open\/refuses-to-coerce-product_data\.loan_(amount|term_months)$/,
  ],
  'rounded amounts': [
    submissions(lead => {
      if (typeof lead?.product_data?.loan_amount === 'number')
        lead.product_data.loan_amount = Math.round(lead.product_data.loan_amount)
    }),
    ['2.8/refuses-invalid-values-of-product_data.loan_amount'],
    /^2\.8\/refuses-invalid-values-of-product_data\.loan_amount$/,
  ],
  'a minimum amount that is one too low': [
    submissions(lead => {
      if (lead?.product_data?.loan_amount === 499) lead.product_data.loan_amount = 500
    }),
    [
      '2.8/refuses-values-outside-the-bounds-of-product_data.loan_amount',
      '7/returns-validation_error-for-an-amount-outside-its-bounds',
    ],
    /^(2\.8\/refuses-values-outside-the-bounds-of-product_data\.loan_amount|7\/returns-validation_error-.*|open\/names-every-invalid-field-.*)$/,
  ],
  'a maximum term that is one too short': [
    submissions(lead => {
      if (lead?.product_data?.loan_term_months === 84) lead.product_data.loan_term_months = 85
    }),
    [
      '2.8/accepts-valid-values-of-product_data.loan_term_months',
      '2.12/rejects-as-eligibility_failed-only-outside-the-criteria',
    ],
    /^(2\.8\/accepts-valid-values-of-product_data\.loan_term_months|2\.12\/rejects-as-eligibility_failed-only-.*)$/,
  ],
  'a purpose that is not accepted': [
    submissions(lead => {
      if (lead?.product_data?.loan_purpose === 'unforeseen_costs') lead.product_data.loan_purpose = 'forgotten'
    }),
    ['2.8/accepts-valid-values-of-product_data.loan_purpose'],
    /^2\.8\/accepts-valid-values-of-product_data\.loan_purpose$/,
  ],
  'an optional last name': [
    submissions(lead => {
      const name = lead?.customer?.personal_data
      if (typeof name === 'object' && name !== null && !Array.isArray(name) && name.first_name) name.last_name ??= 'Doe'
    }),
    ['2.3/requires-customer.personal_data.last_name'],
    /-personal_data\.last_name$|customer\.personal_data\.last_name$/,
  ],
  'consents that are not checked': [
    submissions(lead => {
      for (const entry of Array.isArray(lead?.consents?.entries) ? lead.consents.entries : [])
        if (entry?.accepted === false) Object.assign(entry, { accepted: true, accepted_at: '2026-01-31T09:30:00Z' })
    }),
    ['2.9/refuses-consents-with-terms-declined', '2.9/refuses-consents-with-privacy_policy-declined'],
    /consents_missing|2\.9\/refuses-consents-with-\w+-declined|semantic|open\//,
  ],
  'errors without details': [
    {
      reply: returning =>
        inJson(returning, json => {
          delete json.details
        }),
    },
    [
      '7/returns-validation_error-for-an-amount-outside-its-bounds',
      '2.8/requires-product_data.loan_amount',
      '4.1/refuses-an-empty-object-as-a-lead',
    ],
  ],
  'details in errors other than 400': [
    {
      reply(returning) {
        if (returning.status === 401) inJson(returning, json => ({ ...json, details: [] }))
      },
    },
    ['5/refuses-a-lead-without-a-key', '4.3/returns-401-for-a-missing-token'],
  ],
  'errors as HTML': [
    {
      reply(returning) {
        if (returning.status === 401)
          Object.assign(returning, { headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>') })
      },
    },
    ['5/refuses-a-lead-with-an-unknown-key'],
  ],
  "an advertiser's key accepted for leads": [
    {
      request(passing, publisherKey) {
        if (isLead(passing) && passing.headers.apikey?.includes('_adv_')) passing.headers.apikey = publisherKey
      },
    },
    [
      '5/refuses-a-lead-with-the-key-of-an-advertiser',
      'open/returns-the-same-401-for-the-key-of-an-advertiser-as-for-an-unknown-key',
    ],
    /^(5\/refuses-a-lead-with-the-key-of-an-advertiser|open\/returns-the-same-401-for-the-key-of-an-advertiser-as-for-an-unknown-key)$/,
  ],
  'a key accepted in the query': [
    {
      request(passing) {
        const { pathname, searchParams } = new URL(passing.target, 'http://any')
        const key = searchParams.get('apikey')
        if (key !== null) Object.assign(passing, { target: pathname, headers: { ...passing.headers, apikey: key } })
      },
    },
    ['5/refuses-a-lead-with-the-key-in-the-query'],
    /in-the-query|same-401-for-every-wrong-key-of-a-status/,
  ],
  'a pixel that accepts any token': [
    {
      reply(returning, passing) {
        if (!isPixel(passing) || returning.status !== 401) return
        const [, lead_id] = /\/lead\/([^/]+)\//.exec(passing.target) ?? []
        const event = new URL(passing.target, 'http://any').searchParams.get('event')
        Object.assign(returning, {
          status: 200,
          body: Buffer.from(JSON.stringify({ lead_id, event, status: 'received' })),
        })
      },
    },
    ['4.3/returns-401-for-a-missing-token', '4.3/returns-401-for-the-token-of-another-lead'],
  ],
  'a pixel that returns received for a repeat': [
    {
      reply(returning, passing) {
        if (isPixel(passing))
          inJson(returning, json => {
            if (json.status === 'ignored') json.status = 'received'
          })
      },
    },
    ['4.3/ignores-every-repeat-of-approved', '4.3/ignores-an-event-that-a-status-update-reported'],
  ],
  "a pixel that does not know the usage table's names": [
    {
      request(passing) {
        if (isPixel(passing)) passing.target = passing.target.replace('event=loan_paid', 'event=unheard_of')
      },
    },
    ['6.1/accepts-loan_paid-as-completed'],
    /loan_paid/,
  ],
  'a status update that is not echoed in the response': [
    {
      reply(returning, { target, method }) {
        if (method === 'GET' || !target.includes('/status')) return
        inJson(returning, json => {
          if (json.lead_id) json.status = 'received'
        })
      },
    },
    ['4.2/accepts-a-status-by-post-or-patch'],
  ],
}

const ofReports = cases.filter(
  ({ needs }: ConformanceCase) =>
    (needs.includes('advertiser') || needs.includes('second_advertiser')) && !needs.includes('callbacks'),
)

const isReport = ({ target }: Passing) => target.includes('/status')
const isBody = (passing: Passing) => isReport(passing) && (passing.method === 'POST' || passing.method === 'PATCH')
const isPixel = (passing: Passing) => isReport(passing) && passing.method === 'GET'

function refuse(returning: Returning, status: number): void {
  const details = status === 400 ? { details: [{ field: 'body', issue: 'is wrong' }] } : {}
  const body = Buffer.from(JSON.stringify({ error: 'refused', message: 'It is refused.', ...details }))
  Object.assign(returning, { status, headers: { 'content-type': 'application/json' }, body })
}

/** Changes the body of each report. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation may change anything.
const bodies = (change: (report: any) => void): Deviation => ({
  request: passing => {
    if (isBody(passing)) inJson(passing, report => (report && !Array.isArray(report) ? change(report) : undefined))
  },
})

/** Changes the target of each pixel. */
const queries = (change: (target: string) => string): Deviation => ({
  request: passing => {
    if (isPixel(passing)) passing.target = change(passing.target)
  },
})

/** Refuses the requests that satisfy the predicate. */
const refusing = (status: number, isOne: (passing: Passing, returning: Returning) => boolean): Deviation => ({
  reply: (returning, passing) => {
    if (isReport(passing) && isOne(passing, returning)) refuse(returning, status)
  },
})

const reportDeviations: Deviations = {
  'coerced amounts': [
    bodies(({ metadata }) => {
      if (typeof metadata?.amount === 'string') metadata.amount = Number(metadata.amount)
    }),
    ['4.2/refuses-an-amount-that-is-a-text', 'open/returns-400-and-the-field-for-an-amount-that-is-a-text'],
    /an-amount-that-is-a-text/,
  ],
  'rounded terms': [
    bodies(({ metadata }) => {
      if (metadata?.term_months === 1.5) metadata.term_months = 2
    }),
    ['4.2/refuses-a-term-of-a-month-and-a-half'],
    /a-term-of-a-month-and-a-half/,
  ],
  'an advertiser_id that is not checked': [
    bodies(report => {
      delete report.advertiser_id
    }),
    ['4.2/refuses-an-advertiser_id-that-is-not-a-uuid', 'open/returns-400-and-the-field-for-an-unknown-advertiser_id'],
    /advertiser_id/,
  ],
  'a status that requires an amount': [
    refusing(400, passing => isBody(passing) && !passing.body.includes('"amount"')),
    ['4.2/accepts-a-status-by-post-or-patch', '4.2/accepts-the-status-converted'],
  ],
  'a repeat refused as a conflict': [
    (() => {
      const seen = new Set<string>()
      return refusing(409, (passing, { status }) => {
        if (!isBody(passing) || status !== 200) return false
        const report = `${passing.target} ${passing.body}`
        return seen.has(report) || !seen.add(report)
      })
    })(),
    ['open/returns-the-same-200-for-a-repeated-status'],
    /repeat/,
  ],
  "a 403 for another advertiser's lead": [
    refusing(403, (_passing, { status }) => status === 404),
    [
      'open/returns-the-same-404-for-a-lead-of-another-advertiser-as-for-an-unknown-lead',
      'open/returns-not_found-for-an-unknown-lead-after-checking-the-body',
      'open/returns-the-same-404-for-a-new-or-rejected-lead-as-for-an-unknown-lead',
    ],
    /lead/,
  ],
  'only names from the pixel’s list': [
    refusing(400, passing => isBody(passing) && passing.body.includes('loan_')),
    ['open/accepts-the-status-loan_issued', 'open/repeats-the-name-of-each-event-as-reported'],
    /loan_|repeats-the-name-of-each-event/,
  ],
  'a publisher that can report': [
    {
      request: (passing, rightKey) => {
        if (isBody(passing) && passing.headers.apikey?.includes('_pub_')) passing.headers.apikey = rightKey
      },
    },
    ['5/refuses-a-status-with-the-key-of-the-publisher', 'open/returns-the-same-401-for-every-wrong-key-of-a-status'],
    /key-of-the-publisher|same-401-for-every-wrong-key-of-a-status/,
  ],
  'a different reason in each 401': [
    {
      reply: (returning, passing) => {
        if (returning.status === 401) inJson(returning, json => ({ ...json, message: `No: ${passing.target.length}.` }))
      },
    },
    [
      'open/returns-the-same-401-for-every-wrong-key-of-a-status',
      'open/returns-the-same-401-for-every-wrong-token-before-any-other-check',
    ],
    /same-401/,
  ],
  'a pixel that accepts capital letters': [
    queries(target => target.replace(/event=([A-Z]+)$/, (_all, event: string) => `event=${event.toLowerCase()}`)),
    ['open/returns-400-and-the-parameter-for-an-event-in-uppercase'],
    /uppercase/,
  ],
  'a hexadecimal token accepted in either letter case': [
    queries(target => target.replace(/token=([0-9A-F]{64})/, (_all, token: string) => `token=${token.toLowerCase()}`)),
    ['open/refuses-a-token-in-another-letter-case'],
    /token-in-another-letter-case|same-401-for-every-wrong-token/,
  ],
  'an optional event': [
    queries(target => (/[?&]event=/.test(target) ? target : `${target}&event=approved`)),
    ['4.3/requires-an-event', 'open/returns-400-and-the-parameter-for-a-missing-event'],
    /event$/,
  ],
  'references that are refused': [
    refusing(400, ({ target }) => target.includes('&ref=')),
    ['4.3/accepts-a-plain-ref', '4.3/accepts-an-escaped-ref'],
    /-ref(-|$)|same-401-for-every-wrong-token/,
  ],
  'references of any length': [
    queries(target => target.replace(/&ref=r{256}/, '&ref=r')),
    ['open/returns-400-and-the-parameter-for-a-ref-of-256-characters'],
    /256/,
  ],
  'a pixel that returns events as reported': [
    {
      reply: (returning, passing) => {
        const reported = /[?&]event=(loan_\w+)/.exec(passing.target)?.[1]
        if (isPixel(passing) && reported)
          inJson(returning, json => {
            if (json.event) json.event = reported
          })
      },
    },
    ['6.1/accepts-loan_issued-as-approved', 'open/treats-approved-and-loan_issued-as-one-event'],
    /loan_/,
  ],
  'a pixel that accepts HEAD': [
    refusing(200, ({ method }) => method === 'HEAD'),
    ['open/returns-405-for-head-and-records-nothing'],
    /head/,
  ],
}

let adapter: Adapter
beforeAll(async () => {
  adapter = await openMemoryAdapter()
})
afterAll(() => adapter.close())

/** Returns the ids of the cases that fail for a deviation. `side` selects the key passed to it. */
async function failing(
  chosen: readonly ConformanceCase[],
  deviation: Deviation,
  side: 'publisherKey' | 'advertiserKey' = 'publisherKey',
): Promise<string[]> {
  const { tenant } = await targetThrough(adapter)
  const key = side === 'publisherKey' ? tenant.publisherKey : tenant.advertiserKey()
  const fetch = deviatingFetch(fetchThrough(adapter), key, deviation)
  const target = createTarget({ facts: factsOfAccount(tenant.account), fetch, patienceMs: 100 })
  const results = await runCases(chosen, target, { concurrency: 4 })
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

/** Combines several deviations into one. */
function together(rows: readonly Row[]): Deviation {
  return {
    request: (passing, key) => {
      for (const [, [each]] of rows) each.request?.(passing, key)
    },
    reply: (returning, passing) => {
      for (const [, [each]] of rows) each.reply?.(returning, passing)
    },
  }
}

type Row = readonly [name: string, Deviations[string]]
const isNarrow = ([, [, , within]]: Row) => within !== undefined
const [leadRows, reportRows] = [Object.entries(leadDeviations), Object.entries(reportDeviations)]
/** Returns true if the second deviation may cause the failures that show the first. */
const mixes = ([, [, finds]]: Row, [, [, , within]]: Row) => finds.some(id => within?.test(id))

/** Groups narrow deviations so that in a group, each failure has one possible cause. */
function apart(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  for (const row of rows) {
    const group = groups.find(others => others.every(other => !mixes(row, other) && !mixes(other, row)))
    if (group) group.push(row)
    else groups.push([row])
  }
  return groups
}

const named = (rows: readonly Row[]) => rows.map(([name]) => name).join('; ')

it('passes every case if nothing deviates', async () => {
  expect(await failing(cases, {})).toEqual([])
})

// A full run takes a second or more, so deviations that don't interfere share one.
it.each([
  ...apart(leadRows.filter(isNarrow)).map(rows => [named(rows), rows, cases, 'publisherKey'] as const),
  ...apart(reportRows.filter(isNarrow)).map(rows => [named(rows), rows, ofReports, 'advertiserKey'] as const),
])('finds these deviations and nothing else: %s', async (_names, rows, chosen, side) => {
  const ids = await failing(chosen, together(rows), side)
  for (const [name, [, finds]] of rows) expect(ids, name).toEqual(expect.arrayContaining([...finds]))
  expect(ids.filter(id => !rows.some(([, [, , within]]) => within?.test(id)))).toEqual([])
})

it.each([
  ...leadRows.filter(row => !isNarrow(row)).map(row => [named([row]), row, 'publisherKey'] as const),
  ...reportRows.filter(row => !isNarrow(row)).map(row => [named([row]), row, 'advertiserKey'] as const),
])('finds %s', async (_name, [name, [deviation, finds]], side) => {
  const ids = await failing(
    cases.filter(({ id }) => finds.includes(id)),
    deviation,
    side,
  )
  expect(ids, name).toEqual(expect.arrayContaining([...finds]))
})
