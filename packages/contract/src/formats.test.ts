import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalUuid, dateTimeMs, isCalendarDate, isDateTime, isEmail, isIpv4, isUri, isUuid } from './formats.ts'
import { readIpAddress } from './ip-network.ts'

describe('formats, on any input', () => {
  it('accept every UUID, in either letter case', () => {
    fc.assert(
      fc.property(fc.uuid(), id => {
        expect([isUuid(id), isUuid(id.toUpperCase())]).toEqual([true, true])
      }),
    )
  })

  it('normalize every UUID to lower case, and leave any other text unchanged', () => {
    fc.assert(
      fc.property(fc.uuid(), id => {
        expect(canonicalUuid(id.toUpperCase())).toBe(id)
      }),
    )
    fc.assert(
      fc.property(fc.string(), text => {
        if (!isUuid(text)) expect(canonicalUuid(text)).toBe(text)
      }),
    )
  })

  it.each(['2023', '2024', '1900', '2000', '2100', '2400'])('know the last day of each month in %s', year => {
    for (let month = 1; month <= 12; month++) {
      const ofDay = (day: number) => `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      // The day before the first of the next month.
      const last = new Date(Date.UTC(Number(year), month, 0)).getUTCDate()
      expect([last, isCalendarDate(ofDay(last))]).toEqual([last, true])
      expect([last + 1, isCalendarDate(ofDay(last + 1))]).toEqual([last + 1, false])
    }
  })

  it("accept every time in JSON's format, and none without its time zone", () => {
    const moment = fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    fc.assert(
      fc.property(moment, date => {
        expect(isDateTime(date.toISOString())).toBe(true)
        expect(isDateTime(date.toISOString().slice(0, -1))).toBe(false)
      }),
    )
  })

  it('accept a second 60 only at 23:59:60 UTC', () => {
    const minutes = fc.integer({ min: 0, max: 1_439 })
    const clock = (of: number) => new Date(of * 60_000).toISOString().slice(11, 16)
    const input = fc.record({ local: minutes, offset: minutes, sign: fc.constantFrom('+', '-'), right: fc.boolean() })
    fc.assert(
      fc.property(input, ({ local, offset, sign, right }) => {
        const shift = sign === '+' ? offset : -offset
        const minute = right ? (1_439 + shift + 1_440) % 1_440 : local
        const text = `2016-12-31T${clock(minute)}:60${sign}${clock(offset)}`
        expect([text, isDateTime(text)]).toEqual([text, (minute - shift + 1_440) % 1_440 === 1_439])
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['1998-12-31T15:59:60.25-08:00', '1999-01-01T00:00:00.250Z'],
    ['2026-05-17t14:34:05.123456+02:00', '2026-05-17T12:34:05.123Z'],
    ['2026-05-17t12:34:05z', '2026-05-17T12:34:05.000Z'],
  ])('parse the time of %s', (text, time) => {
    expect([isDateTime(text), new Date(dateTimeMs(text)).toISOString()]).toEqual([true, time])
  })

  it('accept every web address', () => {
    const url = fc.webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(url, text => {
        expect(isUri(text)).toBe(true)
      }),
    )
  })

  it('accept every ordinary e-mail address', () => {
    fc.assert(
      fc.property(fc.emailAddress(), text => {
        expect(isEmail(text)).toBe(true)
      }),
    )
  })

  it('accept exactly the IPv4 addresses that the parser accepts', () => {
    const almost = fc.string({ unit: fc.constantFrom(...'0123456789.x'), maxLength: 16 })
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), almost), text => {
        expect(isIpv4(text)).toBe(readIpAddress(text) !== undefined)
      }),
      { numRuns: 1000 },
    )
  })

  it('never throw, and accept nothing with a trailing space', () => {
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
])('accepts the e-mail address %s', text => expect(isEmail(text)).toBe(true))

it.each([
  ...['', 'a', '@x.es', 'a@', 'a@x', 'a@@x.es', 'a b@x.es', ' a@x.es', 'a@x.es ', '.a@x.es', 'a.@x.es', 'a..b@x.es'],
  ...['a@.es', 'a@x..es', 'a@-x.es', 'a@x-.es', 'a@x.e', 'a@1.2.3.4', 'a,b@x.es', 'a@x_y.es', 'a<b>@x.es', 'a@x.es\n'],
])('refuses the e-mail address %o', text => expect(isEmail(text)).toBe(false))

const local = (length: number) => 'l'.repeat(length)
const labels = (length: number, count: number) => Array.from({ length: count }, () => 'd'.repeat(length)).join('.')

it.each([
  ['a local part', 64, (length: number) => `${local(length)}@x.es`],
  ['a label', 63, (length: number) => `a@${labels(length, 1)}.es`],
  ['a label before others', 63, (length: number) => `a@${labels(length, 1)}.x.es`],
  ['the last label', 63, (length: number) => `a@x.${labels(length, 1)}`],
  ['the whole address', 254, (length: number) => `${local(length - 191)}@${labels(46, 4)}.e`.replace(/e$/, 'es')],
])('accepts %s of %i characters, and no more', (_, longest, address) => {
  const [fits, over] = [address(longest), address(longest + 1)]
  expect([isEmail(fits), isEmail(over)]).toEqual([true, false])
})

it('refuses an e-mail address of any greater length, quickly', () => {
  for (const long of [`a@${labels(63, 300)}.es`, `${local(20_000)}@example.com`, `a@${'x-'.repeat(20_000)}`])
    expect(isEmail(long)).toBe(false)
})

// From RFC 3986 and 3987, and the JSON Schema test suite.
it.each([
  ...[
    'https://example.com',
    'https://example.com/',
    'HTTPS://EXAMPLE.COM/%C3%A1',
    'http://a.example:8080/b;c=1?d=/?#e/?',
  ],
  ...[
    'https://[2001:db8::7]/c=GB?objectClass?one',
    'http://[::1]:80',
    'https://user:pa%20ss@example.com/',
    'urn:isbn:1',
  ],
  ...["https://example.com/~a_b.c-d!$&'()*+,;=:@", 'mailto:ana@example.com', 'tel:+34-600', 'ftp://ftp.is.co.za/rfc/1'],
  ...[
    'https://xn--prstamos-d1a.example/',
    'https://example.com//',
    'https://example.com/?q=%5B1%5D',
    'http://a_b.example/',
  ],
])('accepts the URI %s', text => expect(isUri(text)).toBe(true))

it.each([
  ...[
    'https://example.com/préstamos',
    'https://préstamos.example/',
    'https://example.com/%zz',
    'https://example.com/%',
  ],
  ...['https://example.com/%4', 'https://example.com/?a=%g1', 'https://example.com/[a]', 'https://example.com/?a[]=1'],
  ...[
    'https://example.com/#a[1]',
    'https://example.com/#a#b',
    'https://example.com/\u202Ea',
    'https://example.com/\u200Ba',
  ],
  ...[
    'https://a[b].example/',
    'https://[::1',
    'https://::1]/',
    'https://[::zz]/',
    'https://example.com/a\\b',
    'https:// a/',
  ],
  ...[
    'https://example.com/"',
    'https://example.com/<a>',
    'https://example.com/{a}',
    'https://example.com/a|b',
    'a',
    '//a/b',
  ],
  ...[
    'https://example.com/^',
    'https://example.com/`',
    'https://a b.example',
    'https://example.com:a/',
    ':foo',
    '/a',
    '#a',
  ],
  ...['https://example.com/\n', 'https://exa\tmple.com/', '1http://example.com', 'https://a@b@c.example/', 'https://'],
])('refuses the URI %o', text => expect(isUri(text)).toBe(false))

it('accepts any text as a URI once it is percent-encoded, and no other characters in any URI', () => {
  const text = fc.string({ unit: 'grapheme' }).filter(each => each.isWellFormed())
  fc.assert(
    fc.property(text, each => isUri(`https://example.com/${encodeURIComponent(each)}?q=${encodeURIComponent(each)}`)),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), each => {
      if (isUri(`https://example.com/${each}`)) expect(each).toMatch(/^(?:[!#$&-;=?-Z_a-z~]|%[0-9A-Fa-f]{2})*$/)
    }),
    { numRuns: 2000 },
  )
})
