import { describe, expect, it } from 'vitest'
import { accountWith } from './account.fixture.ts'
import { createTestLeads } from './create-test-leads.ts'
import { withFields } from './lead-changes.ts'

const lead = createTestLeads(accountWith()).distributed()

describe('fields by path', () => {
  it('are created if missing: a number creates a list, any other name an object', () => {
    const made = withFields(lead, {
      'extra.list.0': 'a',
      'extra.deep.10.name': 'b',
      'extra.line.line2': 'c',
      'extra.second.2nd': 'd',
    })
    // As sent: a list would lose named properties.
    expect(JSON.parse(JSON.stringify(made))).toMatchObject({
      extra: {
        list: ['a'],
        deep: [...new Array(10).fill(null), { name: 'b' }],
        line: { line2: 'c' },
        second: { '2nd': 'd' },
      },
    })
    expect(lead).not.toHaveProperty('extra')
  })

  it('are removed by undefined', () => {
    const { contact, ...customer } = withFields(lead, { 'customer.contact': undefined }).customer
    expect([contact, customer]).toEqual([undefined, { personal_data: lead.customer.personal_data }])
    expect(withFields(lead, { 'customer.contact': undefined }).customer).not.toHaveProperty('contact')
  })
})
