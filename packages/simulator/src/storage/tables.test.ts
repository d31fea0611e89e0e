import type { LeadRecord } from '@lead-distribution/engine'
import { expect, it } from 'vitest'
import { packedTrace } from './tables.ts'

const trace: LeadRecord['trace'] = [
  { check: 'shape', verdict: 'passed' },
  { check: 'product', verdict: 'passed', input: 'p1' },
  { check: 'product_active', verdict: 'passed', input: false, threshold: true },
  { check: 'income', verdict: 'rejected', input: 0, threshold: 600, hint: 'Send more.' },
  { check: 'geography', verdict: 'rejected', threshold: ['ES'] },
  { check: 'distribution', verdict: 'passed', input: { 'Crédito \ud800': 'accepted' }, hint: 'Why.' },
  { check: 'claim', verdict: 'skipped' },
]

it('restores each step with exactly its own values', () => {
  expect(packedTrace.unpack(JSON.parse(JSON.stringify(packedTrace.pack(trace))))).toEqual(trace)
})
