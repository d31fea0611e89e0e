import { describe, expect, it } from 'vitest'
import type { BlacklistEntry } from '../account/account.ts'
import { accountWith, factsOf, leadWith } from '../facts.fixture.ts'
import { blacklisted } from './blacklisted.ts'

const judge = (...blacklist: BlacklistEntry[]) => {
  const lead = leadWith(body => {
    body.customer.contact.phone = { number: '600 123 456' }
    body.customer.personal_data.identification_number = '12345678z'
  })
  return blacklisted.judge(factsOf({ lead, account: accountWith({}, { blacklist }) }))
}

describe('blacklisted', () => {
  it.each([
    ['the address', { email: 'ana@example.com' }],
    ['the address in other letters', { email: 'ANA@Example.COM' }],
    ['the phone number', { phone: '600123456' }],
    ['the phone number with its country code', { phone: '+34 600-123-456' }],
    ['the document in other letters', { identification_number: '12345678Z' }],
    ['one of the values an entry names', { email: 'other@example.com', phone: '600123456' }],
  ])('refuses a customer who is listed by %s [2.12/blacklisted]', (_title, entry) => {
    expect(judge({ email: 'somebody@example.com' }, entry).passes).toBe(false)
  })

  it.each([
    ['another address', { email: 'ana@example.org' }],
    ['an address that only begins so', { email: 'ana@example.co' }],
    ['another phone', { phone: '600123457' }],
    ['the phone of another country', { phone: '+351 600123456' }],
    ['another document', { identification_number: '12345678' }],
  ])('passes a customer where the list holds %s [2.12/blacklisted]', (_title, entry) => {
    expect(judge(entry).passes).toBe(true)
  })

  it('passes a customer without phone and document, whatever is listed', () => {
    const blacklist = [{ phone: '34' }, { identification_number: '1' }]
    expect(blacklisted.judge(factsOf({ account: accountWith({}, { blacklist }) })).passes).toBe(true)
  })

  it('tells which values matched, never the values', () => {
    const { input } = judge({ email: 'ana@example.com', phone: '600123456' })
    expect(input).toEqual(['email', 'phone'])
  })
})
