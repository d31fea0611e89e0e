import { type BlacklistEntry, durationMs } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountWith, factsOf, leadWith, noon } from '../facts.fixture.ts'
import { blacklisted } from './blacklisted.ts'
import { customerAlreadyExists } from './customer-already-exists.ts'
import { duplicateSubmission } from './duplicate-submission.ts'

describe('blacklisted', () => {
  const judge = (...blacklist: BlacklistEntry[]) => {
    const lead = leadWith(body => {
      body.customer.contact.phone = { number: '600 123 456' }
      body.customer.personal_data.identification_number = '12345678z'
    })
    return blacklisted(factsOf({ lead, account: accountWith({}, { blacklist }) }))
  }

  it.each([
    ['the address', { email: 'ana@example.com' }],
    ['the address in another letter case', { email: 'ANA@Example.COM' }],
    ['the phone number', { phone: '600123456' }],
    ['the phone number with its country code', { phone: '+34 600-123-456' }],
    ['the document in another letter case', { identification_number: '12345678Z' }],
    ["only one of an entry's values", { email: 'other@example.com', phone: '600123456' }],
  ])('rejects a customer listed by %s [2.12/blacklisted]', (_title, entry) => {
    expect(judge({ email: 'somebody@example.com' }, entry).passes).toBe(false)
  })

  it.each([
    ['another address', { email: 'ana@example.org' }],
    ['an address that is only a prefix', { email: 'ana@example.co' }],
    ['another phone', { phone: '600123457' }],
    ['the same phone number in another country', { phone: '+351 600123456' }],
    ['another document', { identification_number: '12345678' }],
  ])('passes a customer if the list contains %s [2.12/blacklisted]', (_title, entry) => {
    expect(judge(entry).passes).toBe(true)
  })

  const phones = ['600123456', '600 123 456', '600.123.456', '+34600123456', '+34 600-12-34-56', '0034600123456']
  const morePhones = ['00 34 600 123 456', '(+34) 600 123 456', '34600123456']
  const documents = ['12345678Z', '12345678-Z', '12345678z', '12.345.678-z', ' 12345678 Z ', '12345678/Z']
  const listedWith = (entry: BlacklistEntry, phone: object, identification_number = '') => {
    const lead = leadWith(body => {
      body.customer.contact.phone = phone
      body.customer.personal_data.identification_number = identification_number
    })
    return !blacklisted(factsOf({ lead, account: accountWith({}, { blacklist: [entry] }) })).passes
  }

  it.each([...phones, ...morePhones])('matches the phone number %s in every spelling [2.12/blacklisted]', phone => {
    for (const number of [...phones, ...morePhones]) {
      for (const area_code of ['+34', '0034', '34', ' +34 ', '', undefined])
        expect([number, area_code, listedWith({ phone }, { number, area_code })]).toEqual([number, area_code, true])
      expect(listedWith({ phone }, { number: number.replace(/6(?=\D*$)/, '7') })).toBe(false)
    }
  })

  it.each(documents)('matches the document %s in every spelling [2.12/blacklisted]', identification_number => {
    for (const other of documents) expect(listedWith({ identification_number }, {}, other)).toBe(true)
    for (const other of ['12345678', '12345678A', '2345678Z', '-', ''])
      expect(listedWith({ identification_number }, {}, other)).toBe(false)
  })

  it('never matches documents without letters and digits', () => {
    expect(listedWith({ identification_number: '-' }, {}, '.')).toBe(false)
  })

  it('never matches phone numbers without digits', () => {
    const lead = leadWith(body => {
      body.customer.contact.phone = { number: 'none' }
    })
    const account = accountWith({}, { blacklist: [{ phone: '-' }] })
    expect(blacklisted(factsOf({ lead, account })).passes).toBe(true)
  })

  it('passes a customer without phone and document, regardless of the list', () => {
    const blacklist = [{ phone: '34' }, { identification_number: '1' }]
    expect(blacklisted(factsOf({ account: accountWith({}, { blacklist }) })).passes).toBe(true)
  })

  it('shows the names of the values that matched, never the values', () => {
    const { input } = judge({ email: 'ana@example.com', phone: '600123456' })
    expect(input).toEqual(['email', 'phone'])
  })
})

describe('customer_already_exists', () => {
  it('rejects an address that another lead owns [2.12/customer_already_exists]', () => {
    const lead_id = '40000000-0000-4000-8000-000000000001'
    expect(customerAlreadyExists(factsOf({ customer: { lead_id } }))).toMatchObject({
      passes: false,
      input: lead_id,
    })
  })

  it.each([
    ['is unknown', undefined],
    ['was only rejected before', { refused_at: 1 }],
  ])('passes an address that %s [2.12/customer_already_exists]', (_title, customer) => {
    expect(customerAlreadyExists(factsOf({ customer })).passes).toBe(true)
  })
})

describe('duplicate_submission', () => {
  const passesAfter = (ms: number, duplicate_window: string) =>
    duplicateSubmission(factsOf({ account: accountWith({ duplicate_window }), customer: { refused_at: noon - ms } }))
      .passes

  it('ends after exactly the length of any window [2.12/duplicate_submission]', async () => {
    const windows = fc.constantFrom('PT0.001S', 'PT1S', 'PT1M30S', 'PT24H', 'P7D', 'P2W')
    await fc.assert(
      fc.property(windows, fc.integer({ min: -1, max: 5 }), (window, distance) => {
        expect(passesAfter(durationMs(window) + distance, window)).toBe(distance >= 0)
      }),
    )
  })

  it('is disabled by a zero-length window, even in the same millisecond [2.12/duplicate_submission]', () => {
    expect(passesAfter(0, 'PT0S')).toBe(true)
  })

  it('passes a customer who was never rejected', () => {
    expect(duplicateSubmission(factsOf({ customer: {} }))).toEqual({ passes: true })
    expect(duplicateSubmission(factsOf())).toEqual({ passes: true })
  })

  it('shows the time since the rejection', () => {
    const judgement = duplicateSubmission(factsOf({ customer: { refused_at: noon - 1500 } }))
    expect(judgement).toMatchObject({ passes: false, input: { refused_ms_ago: 1500 }, threshold: 'PT60S' })
  })
})
