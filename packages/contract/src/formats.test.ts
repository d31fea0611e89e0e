import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCalendarDate, isDateTime, isEmail, isIpv4, isUri, isUuid } from './formats.ts'
import { readIpAddress } from './ip-network.ts'

describe('formats, on any input', () => {
  it('takes every UUID, in either letter case', () => {
    fc.assert(fc.property(fc.uuid(), id => isUuid(id) && isUuid(id.toUpperCase())))
  })

  it.each(['2023', '2024', '1900', '2000', '2100', '2400'])('knows where each month of %s ends', year => {
    for (let month = 1; month <= 12; month++) {
      const ofDay = (day: number) => `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      // The day before the first of the next month.
      const last = new Date(Date.UTC(Number(year), month, 0)).getUTCDate()
      expect([last, isCalendarDate(ofDay(last))]).toEqual([last, true])
      expect([last + 1, isCalendarDate(ofDay(last + 1))]).toEqual([last + 1, false])
    }
  })

  it('takes every moment as JSON writes it, and none without its zone', () => {
    const moment = fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    fc.assert(
      fc.property(moment, date => {
        expect(isDateTime(date.toISOString())).toBe(true)
        expect(isDateTime(date.toISOString().slice(0, -1))).toBe(false)
      }),
    )
  })

  it('takes every web address', () => {
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), isUri))
  })

  it('takes every usual e-mail address', () => {
    fc.assert(fc.property(fc.emailAddress(), isEmail))
  })

  it('takes for an IPv4 address what is read as one', () => {
    const almost = fc.string({ unit: fc.constantFrom(...'0123456789.x'), maxLength: 16 })
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), almost), text => isIpv4(text) === (readIpAddress(text) !== undefined)),
      { numRuns: 1000 },
    )
  })

  it('never throws, and takes nothing with a space at its end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        for (const holds of [isUuid, isCalendarDate, isDateTime, isEmail, isIpv4, isUri])
          expect(holds(`${text} `)).toBe(false)
      }),
    )
  })
})

it.each([
  'a&b@x.es',
  "o'brien+loans@x.es",
  'a/b=c!#$%*?^_`{|}~-@x.es',
  'A.B.C@X.ES',
  'a@x-y.co.uk',
  'a@x.xn--p1ai',
  '1@2.es',
])('takes the e-mail address %s', text => expect(isEmail(text)).toBe(true))

it.each([
  ...['', 'a', '@x.es', 'a@', 'a@x', 'a@@x.es', 'a b@x.es', ' a@x.es', 'a@x.es ', '.a@x.es', 'a.@x.es', 'a..b@x.es'],
  ...['a@.es', 'a@x..es', 'a@-x.es', 'a@x-.es', 'a@x.e', 'a@1.2.3.4', 'a,b@x.es', 'a@x_y.es', 'a<b>@x.es', 'a@x.es\n'],
])('takes %o for no e-mail address', text => expect(isEmail(text)).toBe(false))
