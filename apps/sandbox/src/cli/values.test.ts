import { describe, expect, it } from 'vitest'
import { dateTime, duration, setting, since } from './values.ts'

describe('a duration', () => {
  it.each([
    ['90s', 'PT90S'],
    ['15m', 'PT15M'],
    ['24h', 'PT24H'],
    ['30d', 'P30D'],
    ['PT24H', 'PT24H'],
    ['P1DT2H', 'P1DT2H'],
    ['PT0.5S', 'PT0.5S'],
  ])('%s is %s', (text, read) => {
    expect(duration(text)).toBe(read)
  })

  it.each(['', '24', '1month', 'P', 'PT', '-1h', 'P1Y', 'P1M', 'P1W1D', '24H'])('is not %j', text => {
    expect(() => duration(text)).toThrow('such as 90s, 15m, 24h, 30d or PT24H')
  })
})

describe('a time', () => {
  it.each(['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.5+02:00'])('is %s', text => {
    expect(dateTime(text)).toBe(text)
    expect(since(text)).toBe(text)
  })

  it.each(['yesterday', '2026-01-31', '2026-01-31T09:30:00', '2026-13-31T09:30:00Z', '300000-01-01T00:00:00Z'])(
    'is not %s',
    text => {
      expect(() => dateTime(text)).toThrow('with its zone')
    },
  )
})

describe('a start time', () => {
  it('may also be a duration before now', () => {
    expect(since('24h')).toBe('PT24H')
  })

  it.each(['yesterday', '2026-01-31', '2026-01-31T09:30:00'])('rejects %s, and names both forms', text => {
    expect(() => since(text)).toThrow(/such as 90s.* or a time with its zone, such as 2026-01-31T09:30:00Z\.$/)
  })
})

describe('a setting', () => {
  it.each([
    ['gender=required', { gender: 'required' }],
    ['duplicate_window=PT5M', { duplicate_window: 'PT5M' }],
    ['lifecycle=[{"event":"registration","after":"PT1M"}]', { lifecycle: [{ event: 'registration', after: 'PT1M' }] }],
    ['name=', { name: '' }],
  ])('reads %s', (text, read) => {
    expect(setting(text)).toEqual(read)
  })

  it('is added to the previous ones', () => {
    expect(setting('gender=required', { gender: 'optional', profile: 'prose' })).toEqual({
      gender: 'required',
      profile: 'prose',
    })
  })

  it.each(['gender', '=required', ''])('is not %j', text => {
    expect(() => setting(text)).toThrow('such as gender=required')
  })
})
