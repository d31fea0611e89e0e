import { expect, it } from 'vitest'
import { withChanges } from './target.ts'

const body = { product_id: 'p', consents: { entries: [{ type: 'terms' }] } } as never

it('sets, takes away and makes what is on the way, and leaves the body and the values as they were', () => {
  const metadata = { ip_address: '203.0.113.7' }
  const changed = withChanges(body, {
    product_id: undefined,
    'consents.entries.0.type': 'other',
    'consents.entries.1.type': 'second',
    'customer.financial_instruments.0.type': 'x',
    'consents.metadata': metadata,
    'consents.metadata.ip_address': 5,
  })
  expect(changed).toEqual({
    consents: { entries: [{ type: 'other' }, { type: 'second' }], metadata: { ip_address: 5 } },
    customer: { financial_instruments: [{ type: 'x' }] },
  })
  expect(body).toEqual({ product_id: 'p', consents: { entries: [{ type: 'terms' }] } })
  expect(metadata).toEqual({ ip_address: '203.0.113.7' })
})
