import { expect, it } from 'vitest'
import { drawnOn } from '../printing/terminal.fixture.ts'
import { explanationText } from './explain.ts'

it('prints a row for each advertiser that was asked, with its reasons', () => {
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
    warnings: [],
  }
  expect(drawnOn('pipe', () => explanationText(explanation))).toEqual([
    'The service would answer 200, new',
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
