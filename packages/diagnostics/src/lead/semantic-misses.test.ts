import { proseInterpretation } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { account, describeLead, leadWith } from './account.fixture.ts'
import { createNearMissFinder } from './find-near-misses.ts'
import { withNearMisses } from './near-miss.ts'

const find = createNearMissFinder(describeLead)
const [active, inactive] = account.products.map(({ product_id }) => product_id)
const { publisher_id } = account.publisher
const advertiser = account.advertisers[0]
const hints = (more: object) =>
  find(leadWith(more), proseInterpretation, account).map(({ check, message }) => `${check}: ${message}`)
const products = `Personal loan (${active}), Discontinued loan (${inactive}, takes no leads)`
const mistyped = (id = '') => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`

describe('product_id', () => {
  it('names the owner of the id', () => {
    expect(hints({ product_id: publisher_id })).toEqual([
      'product: `product_id` is the id of the publisher.',
      `product: \`product_id\` is none of the account's products: send one of ${products}.`,
    ])
    expect(hints({ product_id: advertiser?.advertiser_id.toUpperCase() })[0]).toBe(
      `product: \`product_id\` is the id of the advertiser ${advertiser?.name}.`,
    )
  })

  it('names the id that was meant', () => {
    expect(hints({ product_id: mistyped(active) })[0]).toBe(
      `product: \`product_id\` differs in one character from the id of the product Personal loan, ${active}.`,
    )
    expect(hints({ product_id: ` ${active}` })[0]).toContain('differs in spaces only')
  })

  it('lists the products where it resembles none', () => {
    expect(hints({ product_id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' })).toEqual([
      `product: \`product_id\` is none of the account's products: send one of ${products}.`,
    ])
  })

  it('names the product that accepts leads where it does not', () => {
    expect(hints({ product_id: inactive })).toEqual([
      `product_active: \`product_id\` is a product that takes no leads at present: send one of Personal loan (${active}).`,
    ])
  })
})

describe('publisher_id', () => {
  it('names the owner of the id, and the id that was meant', () => {
    expect(hints({ publisher_id: advertiser?.advertiser_id })).toEqual([
      `publisher: \`publisher_id\` is the id of the advertiser ${advertiser?.name}: send ${publisher_id}, the id of the publisher.`,
    ])
    expect(hints({ publisher_id: mistyped(publisher_id) })).toEqual([
      `publisher: \`publisher_id\` differs in one character from the id of the publisher, ${publisher_id}.`,
    ])
  })

  it('names both ids where they were swapped', () => {
    expect(hints({ publisher_id: active, product_id: publisher_id }).map(line => line.split(':')[0])).toEqual([
      'publisher',
      'product',
      'product',
    ])
  })
})

describe('the consents', () => {
  const entry = (type: string, accepted = true) => ({
    type,
    accepted,
    accepted_at: '2026-01-31T09:30:00Z',
    version: '1',
  })
  const entries = (...all: object[]) => hints({ consents: { entries: all } })

  it.each(['Terms', 'term', 'terms_and_conditions', 'TERMS'])('name terms where %s resembles it', type => {
    expect(entries(entry(type), entry('privacy_policy'))).toEqual([
      'consents: `consents.entries.0.type` resembles a required consent, did you mean `terms`?',
    ])
  })

  it.each(['privacyPolicy', 'privacy', 'privacy-policy'])('name privacy_policy where %s resembles it', type => {
    expect(entries(entry('terms'), entry('marketing'), entry(type))).toEqual([
      'consents: `consents.entries.2.type` resembles a required consent, did you mean `privacy_policy`?',
    ])
  })

  it('name the one that was not accepted', () => {
    expect(entries(entry('terms', false), entry('privacy_policy'))).toEqual([
      'consents: `consents.entries.0.accepted` is false: a lead needs the consent `terms`, accepted by the customer.',
    ])
  })

  it('have no hint where they are all there, or resemble nothing', () => {
    expect(entries(entry('terms', false), entry('terms'), entry('privacy_policy'))).toEqual([])
    expect(entries(entry('marketing'), entry('newsletter'))).toEqual([])
    expect(entries()).toEqual([])
  })
})

describe('a trace', () => {
  it('has each near miss at its check, after the hint that is there', () => {
    const trace = [
      { check: 'shape', verdict: 'rejected', hint: 'a is required; b is required' },
      { check: 'publisher', verdict: 'skipped' },
      { check: 'product', verdict: 'rejected', hint: 'Send another.' },
    ] as const
    const miss = (check: 'shape' | 'publisher', message: string) => ({ check, field: 'x', message })
    expect(withNearMisses(trace, [miss('shape', 'One?'), miss('publisher', 'Two.'), miss('shape', 'Three.')])).toEqual([
      { check: 'shape', verdict: 'rejected', hint: 'a is required; b is required. One? Three.' },
      { check: 'publisher', verdict: 'skipped', hint: 'Two.' },
      trace[2],
    ])
  })
})
