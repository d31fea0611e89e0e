import { expect, it } from 'vitest'
import { coverageJunit } from './coverage.ts'

it('has a suite for each kind; what was not seen is skipped, or failed where it is required, with how to see it', () => {
  const required = {
    kind: 'reason',
    name: 'blacklisted',
    count: 0,
    how: 'Submit a customer of the blacklist.',
  } as const
  const items = [
    { kind: 'outcome', name: 'new', count: 2, how: 'Submit an amount that no advertiser accepts.' },
    { kind: 'outcome', name: 'distributed', count: 0, how: 'Submit a smallest lead.' },
    required,
  ] as const
  const document = coverageJunit({ items: [...items] }, [required])
  const messages = (tag: string) =>
    [...document.matchAll(new RegExp(`<${tag} .*?message="([^"]+)"`, 'g'))].map(([, message]) => message)
  expect([...document.matchAll(/<testsuite name="(\w+)"/g)].map(([, name]) => name)).toEqual(['outcome', 'reason'])
  expect(messages('skipped')).toEqual(['distributed was not seen. Submit a smallest lead.'])
  expect(messages('failure')).toEqual(['blacklisted was not seen. Submit a customer of the blacklist.'])
})
