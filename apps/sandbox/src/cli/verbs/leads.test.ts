import { expect, it } from 'vitest'
import { drawnOn } from '../printing.fixture.ts'
import { withOwner } from '../submit.ts'
import { explanationText } from './leads.ts'

it('prints a row for each advertiser that got the lead, with its reasons', () => {
  const explanation: Parameters<typeof explanationText>[0] = {
    would: { status: 200, body: { status: 'new' } },
    trace: [
      {
        check: 'distribution',
        verdict: 'passed',
        input: { 'Crédito Alba': 'declined: lends up to 10000: not 60000', 'Banco Brisa': 'accepted' },
        hint: 'A hint.',
      },
      { check: 'claim', verdict: 'skipped' },
    ],
    deliveries: [
      { advertiser_id: 'a1', name: 'Crédito Alba', decision: 'declined', reasons: ['lends up to 10000: not 60000'] },
      { advertiser_id: 'a2', name: 'Banco Brisa', decision: 'accepted', reasons: [] },
    ],
    warnings: [],
  }
  expect(drawnOn('pipe', () => explanationText(explanation))).toEqual([
    'The service would respond 200, new',
    '',
    'Checks',
    'check         verdict  given  wanted',
    'distribution  passed',
    '',
    'Hints',
    'distribution  A hint.',
    '',
    'Checks that were not reached',
    'claim',
    '',
    'Advertisers',
    'advertiser    decision  because',
    'Crédito Alba  declined  lends up to 10000: not 60000',
    'Banco Brisa   accepted',
  ])
})

const owner = {
  publisher: { publisher_id: 'p1' },
  products: [
    { product_id: 'old', active: false },
    { product_id: 'current', active: true },
  ],
}

it('fills in the publisher and the active product', () => {
  expect(JSON.parse(withOwner('{"customer":{}}', owner))).toEqual({
    publisher_id: 'p1',
    product_id: 'current',
    customer: {},
  })
})

it('keeps existing ids, even wrong ones', () => {
  const lead = { product_id: null, publisher_id: 'other' }
  expect(JSON.parse(withOwner(JSON.stringify(lead), owner))).toEqual(lead)
})

it.each(['{', '', '[]', 'null', '"text"'])('sends %j unchanged', content => {
  expect(withOwner(content, owner)).toBe(content)
})
