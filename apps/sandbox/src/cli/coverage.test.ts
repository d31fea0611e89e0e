import { expect, it } from 'vitest'
import { coverageJunit } from './coverage.ts'

it('has a suite for each kind, and a failure with how to see it for each item that was not seen', () => {
  const document = coverageJunit({
    items: [
      { kind: 'outcome', name: 'new', count: 2, how: 'Submit an amount that no advertiser accepts.' },
      { kind: 'outcome', name: 'distributed', count: 0, how: 'Submit a smallest lead.' },
      { kind: 'reason', name: 'blacklisted', count: 0, how: 'Submit a customer of the blacklist.' },
    ],
  })
  expect([...document.matchAll(/<testsuite name="(\w+)"/g)].map(([, name]) => name)).toEqual(['outcome', 'reason'])
  expect([...document.matchAll(/<failure type="unseen" message="([^"]+)"/g)].map(([, message]) => message)).toEqual([
    'distributed was not seen. Submit a smallest lead.',
    'blacklisted was not seen. Submit a customer of the blacklist.',
  ])
})
