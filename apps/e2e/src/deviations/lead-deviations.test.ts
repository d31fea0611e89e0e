import { cases, createTarget, factsOfAccount, runCases } from '@lead-distribution/conformance'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { fetchThrough, targetThrough } from '../adapters/conformance-target.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { type Deviation, deviatingFetch, inJson, type Passing } from './deviating-service.fixture.ts'

/** A deviation, and what the suite must make of it. */
export interface LeadDeviation {
  readonly name: string
  readonly deviation: Deviation
  /** Cases that fail by it. */
  readonly finds: readonly string[]
  /** What the ids of all that fail have in them, where it is one narrow thing that deviates. */
  readonly within?: RegExp
}

const isLead = ({ method, target }: Passing) =>
  method === 'POST' && target.startsWith('/api/v1/lead') && !target.includes('status')
const isPixel = ({ method, target }: Passing) => method === 'GET' && target.includes('/status')

/** Changes the body of each submission. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation does to it what it likes.
const submissions = (change: (lead: any) => void): Deviation => ({
  request: passing => {
    if (isLead(passing)) inJson(passing, change)
  },
})

/** Changes the JSON of each reply to a submission. */
// biome-ignore lint/suspicious/noExplicitAny: a deviation does to it what it likes.
const replies = (change: (json: any) => unknown): Deviation => ({
  reply: (returning, passing) => {
    if (isLead(passing)) inJson(returning, change)
  },
})

/** Ways in which services differ from the specification, as if written after a quick look at it. */
export const leadDeviations: readonly LeadDeviation[] = [
  {
    name: 'a redirect for a lead that is new',
    deviation: replies(json => {
      if (json.status === 'new') json.redirect_url = 'https://lender.example/'
    }),
    finds: ['3/keeps-as-new', '2.12/a-new-lead-has-its-customer'],
  },
  {
    name: 'a rejection without its reason',
    deviation: replies(json => {
      delete json.rejection_reason
    }),
    finds: ['2.12/age_restriction', '2.12/customer_already_exists', '2.12/income_insufficient'],
  },
  {
    name: 'business rejections as 422',
    deviation: {
      reply(returning) {
        inJson(returning, json => {
          if (json.status !== 'rejected') return
          returning.status = 422
          return { error: json.rejection_reason, message: 'Rejected.' }
        })
      },
    },
    finds: ['2.12/age_restriction', '2.12/customer_already_exists', '2.12/geographic_restriction'],
  },
  {
    name: 'one lead_id for every lead',
    deviation: replies(json => {
      if (json.lead_id) json.lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
    }),
    finds: ['2.12/gives-each-lead-its-own-id'],
  },
  {
    name: 'integers that are coerced from texts',
    deviation: submissions(lead => {
      for (const [name, value] of Object.entries(lead?.product_data ?? {}))
        if (typeof value === 'string' && /^\d+$/.test(value)) lead.product_data[name] = Number(value)
    }),
    finds: [
      'open/product_data.loan_amount-is-taken-to-the-letter',
      'open/product_data.loan_term_months-is-taken-to-the-letter',
    ],
    within: /^open\/product_data\.loan_(amount|term_months)-is-taken-to-the-letter$/,
  },
  {
    name: 'amounts that are rounded',
    deviation: submissions(lead => {
      if (typeof lead?.product_data?.loan_amount === 'number')
        lead.product_data.loan_amount = Math.round(lead.product_data.loan_amount)
    }),
    finds: ['2.8/product_data.loan_amount-refuses-wrong-values'],
    within: /^2\.8\/product_data\.loan_amount-refuses-wrong-values$/,
  },
  {
    name: 'a least amount that is one too low',
    deviation: submissions(lead => {
      if (lead?.product_data?.loan_amount === 499) lead.product_data.loan_amount = 500
    }),
    finds: ['2.8/product_data.loan_amount-keeps-its-bounds', '7/validation_error'],
    within:
      /^(2\.8\/product_data\.loan_amount-keeps-its-bounds|7\/validation_error|open\/names-every-wrong-field-at-once)$/,
  },
  {
    name: 'a longest term that is one too short',
    deviation: submissions(lead => {
      if (lead?.product_data?.loan_term_months === 84) lead.product_data.loan_term_months = 85
    }),
    finds: ['2.8/product_data.loan_term_months-takes-right-values'],
    within: /^2\.8\/product_data\.loan_term_months-takes-right-values$/,
  },
  {
    name: 'a purpose that was forgotten',
    deviation: submissions(lead => {
      if (lead?.product_data?.loan_purpose === 'unforeseen_costs') lead.product_data.loan_purpose = 'forgotten'
    }),
    finds: ['2.8/product_data.loan_purpose-takes-right-values'],
    within: /^2\.8\/product_data\.loan_purpose-takes-right-values$/,
  },
  {
    name: 'a last name that may be missing',
    deviation: submissions(lead => {
      const name = lead?.customer?.personal_data
      if (typeof name === 'object' && name !== null && !Array.isArray(name) && name.first_name) name.last_name ??= 'Doe'
    }),
    finds: ['2.3/customer.personal_data.last_name-is-required'],
    within: /personal_data\.last_name-is/,
  },
  {
    name: 'consents that are not looked at',
    deviation: submissions(lead => {
      for (const entry of Array.isArray(lead?.consents?.entries) ? lead.consents.entries : [])
        if (entry?.accepted === false) Object.assign(entry, { accepted: true, accepted_at: '2026-01-31T09:30:00Z' })
    }),
    finds: ['2.9/refuses-terms-declined', '2.9/refuses-privacy_policy-declined'],
    within: /consents_missing|2\.9\/refuses-\w+-declined|semantic|open\//,
  },
  {
    name: 'errors without details',
    deviation: {
      reply: returning =>
        inJson(returning, json => {
          delete json.details
        }),
    },
    finds: ['7/validation_error', '2.8/product_data.loan_amount-is-required', '4.1/refuses-a-body-of-no-field'],
  },
  {
    name: 'details on what is no 400',
    deviation: {
      reply(returning) {
        if (returning.status === 401) inJson(returning, json => ({ ...json, details: [] }))
      },
    },
    finds: ['5/refuses-no-key', '4.3/refuses-no-token'],
  },
  {
    name: 'errors as HTML',
    deviation: {
      reply(returning) {
        if (returning.status === 401)
          Object.assign(returning, { headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>') })
      },
    },
    finds: ['5/refuses-an-unknown-key'],
  },
  {
    name: "an advertiser's key that submits leads",
    deviation: {
      request(passing, publisherKey) {
        if (isLead(passing) && passing.headers.apikey?.includes('_adv_')) passing.headers.apikey = publisherKey
      },
    },
    finds: ['5/keeps-advertisers-from-submitting', 'open/refuses-a-wrong-scope-as-an-unknown-key'],
    within: /^(5\/keeps-advertisers-from-submitting|open\/refuses-a-wrong-scope-as-an-unknown-key)$/,
  },
  {
    name: 'a key that is taken from the query',
    deviation: {
      request(passing) {
        const { pathname, searchParams } = new URL(passing.target, 'http://any')
        const key = searchParams.get('apikey')
        if (key !== null) Object.assign(passing, { target: pathname, headers: { ...passing.headers, apikey: key } })
      },
    },
    finds: ['5/refuses-a-key-in-the-query'],
    within: /in-the-(query|url)|open\/says-unauthorized-alike/,
  },
  {
    name: 'a pixel that takes any token',
    deviation: {
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
    finds: ['4.3/refuses-no-token', '4.3/refuses-the-token-of-another-lead'],
  },
  {
    name: 'a pixel that receives what it has received',
    deviation: {
      reply(returning, passing) {
        if (isPixel(passing))
          inJson(returning, json => {
            if (json.status === 'ignored') json.status = 'received'
          })
      },
    },
    finds: ['4.3/ignores-the-repeat-of-approved', '4.3/ignores-what-the-body-reported'],
  },
  {
    name: 'a pixel that does not know the names of the usage table',
    deviation: {
      request(passing) {
        if (isPixel(passing)) passing.target = passing.target.replace('event=loan_paid', 'event=unheard_of')
      },
    },
    finds: ['6.1/takes-loan_paid'],
    within: /loan_paid/,
  },
  {
    name: 'an update that is not repeated in its reply',
    deviation: {
      reply(returning, { target, method }) {
        if (method === 'GET' || !target.includes('/status')) return
        inJson(returning, json => {
          if (json.lead_id) json.status = 'received'
        })
      },
    },
    finds: ['4.2/takes-post-or-patch'],
  },
]

let adapter: Adapter
beforeAll(async () => {
  adapter = await openMemoryAdapter()
})
afterAll(() => adapter.close())

/** The ids of the cases that fail where a service deviates so. */
async function failing(deviation: object): Promise<string[]> {
  const { tenant } = await targetThrough(adapter)
  const fetch = deviatingFetch(fetchThrough(adapter), tenant.publisherKey, deviation)
  const target = createTarget({ facts: factsOfAccount(tenant.account), fetch, patienceMs: 100 })
  const results = await runCases(cases, target, { concurrency: 4 })
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

it('finds nothing where nothing deviates', async () => {
  expect(await failing({})).toEqual([])
})

it.each(leadDeviations)('finds $name', async ({ deviation, finds, within = /./ }) => {
  const ids = await failing(deviation)
  expect(ids).toEqual(expect.arrayContaining([...finds]))
  expect(ids.filter(id => !within.test(id))).toEqual([])
})
