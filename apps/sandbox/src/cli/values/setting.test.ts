import { expect, it } from 'vitest'
import { setting } from './setting.ts'

it.each([
  ['gender=required', { gender: 'required' }],
  ['duplicate_window=PT5M', { duplicate_window: 'PT5M' }],
  ['lifecycle=[{"event":"registration","after":"PT1M"}]', { lifecycle: [{ event: 'registration', after: 'PT1M' }] }],
  ['name=', { name: '' }],
])('reads %s', (text, read) => {
  expect(setting(text)).toEqual(read)
})

it('adds to those before', () => {
  expect(setting('gender=required', { gender: 'optional', profile: 'prose' })).toEqual({
    gender: 'required',
    profile: 'prose',
  })
})

it.each(['gender', '=required', ''])('is not %j', text => {
  expect(() => setting(text)).toThrow('such as gender=required')
})
