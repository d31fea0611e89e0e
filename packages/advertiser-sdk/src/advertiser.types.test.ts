import * as sdk from '@lead-distribution/advertiser-sdk'
import {
  type Advertiser,
  createAdvertiser,
  type EventResult,
  PostbackUrl,
  type StatusResult,
} from '@lead-distribution/advertiser-sdk'
import * as testing from '@lead-distribution/advertiser-sdk/testing'
import { expect, it } from 'vitest'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const baseUrl = 'https://acme.example.com/api/v1'

/** Compiled, never run: correct and incorrect uses of a client. */
export async function clients(advertiser: Advertiser, postback: PostbackUrl) {
  await advertiser.fire(postback, { event: 'approved', ref: undefined }, { signal: undefined, timeoutMs: 1000 })
  await advertiser.reportStatus(lead_id, { status: 'converted', metadata: { amount: 5000.5, term_months: 24 } })
  await advertiser.reportStatus(lead_id, { status: 'approved', advertiser_id: undefined, metadata: undefined })
  await advertiser.reportStatus(lead_id, { status: 'approved', metadata: { amount: undefined, term_months: 24 } })
  await advertiser.reportStatus(lead_id, {
    status: 'approved',
    metadata: { amount: 5000, contract: 'L-4711', apr: 7.5 },
  })
  // @ts-expect-error an amount is a number, even next to other fields
  await advertiser.reportStatus(lead_id, { status: 'approved', metadata: { amount: '5000', contract: 'L-4711' } })
  // @ts-expect-error a string is not a parsed postback URL
  await advertiser.fire(baseUrl, { event: 'approved' })
  // @ts-expect-error nor is a URL object
  await advertiser.fire(new URL(baseUrl), { event: 'approved' })
  // @ts-expect-error nor is a look-alike
  await advertiser.fire({ lead_id, expose: () => baseUrl, toString: () => '', toJSON: () => '' }, { event: 'approved' })
  // @ts-expect-error nor is a copy
  await advertiser.fire({ ...postback }, { event: 'approved' })
  // @ts-expect-error a name from the other vocabulary
  await advertiser.fire(postback, { event: 'loan_issued' })
  // @ts-expect-error converted is not a pixel event
  await advertiser.fire(postback, { event: 'converted' })
  // @ts-expect-error the event is required
  await advertiser.fire(postback, { ref: 'r' })
  // @ts-expect-error a name from the other vocabulary
  await advertiser.reportStatus(lead_id, { status: 'loan_issued' })

  const usage = createAdvertiser({ baseUrl, vocabulary: 'usage' })
  await usage.fire(postback, { event: 'loan_issued' })
  // @ts-expect-error a name from the other vocabulary
  await usage.fire(postback, { event: 'approved' })
  // @ts-expect-error a name from the other vocabulary
  await usage.reportStatus(lead_id, { status: 'approved' })
  await usage.reportStatus(lead_id, { status: 'converted' })
  // @ts-expect-error there are only two vocabularies
  createAdvertiser({ baseUrl, vocabulary: 'known' })
  // @ts-expect-error clients of different vocabularies are incompatible
  const other: Advertiser<'usage'> = advertiser
  return other
}

/** Compiled, never run: a postback URL can only be parsed. */
export function postbackUrls(postback: PostbackUrl) {
  PostbackUrl.parse('https://acme.example.com', { baseUrl: new URL(baseUrl) })
    .expose()
    .trim()
  // @ts-expect-error it has no constructor
  new PostbackUrl(baseUrl, lead_id)
  // @ts-expect-error it cannot be extended
  const derived = class extends PostbackUrl {}
  // @ts-expect-error the base URL is required
  PostbackUrl.parse('https://acme.example.com')
  // @ts-expect-error a string is not a postback URL until it is parsed
  PostbackUrl.parse(new URL(baseUrl), { baseUrl })
  // @ts-expect-error the lead id is read-only
  postback.lead_id = lead_id
  return derived.name
}

/** Compiled, never run: a switch over the outcomes is exhaustive, and each outcome has its own fields. */
export function outcomes(fired: EventResult, reported: StatusResult): string {
  // @ts-expect-error not every outcome has an event
  fired.event
  switch (fired.outcome) {
    case 'received':
    case 'ignored':
      return fired.event + fired.lead_id
    case 'unrecognized':
      // @ts-expect-error the lead may be unknown
      fired.lead_id.trim()
      return fired.status ?? String(fired.raw)
    default:
      fired satisfies never
  }
  // @ts-expect-error one outcome is missing
  const left: never = reported
  if (reported.outcome === 'reported') return reported.status + left
  return reported.outcome satisfies 'unrecognized'
}

it('exports no URL builder, and only the intended names', () => {
  const exported = Object.keys({ ...sdk, ...testing }).filter(name => !name.endsWith('Error'))
  expect(exported.sort()).toEqual([
    'PostbackUrl',
    'createAdvertiser',
    'createTestPostbackUrl',
    'pixelEvents',
    'usageEvents',
  ])
  expect([clients, postbackUrls, outcomes].every(each => typeof each === 'function')).toBe(true)
})
