import { docUrl } from '@lead-distribution/contract'
import { expect, it } from 'vitest'
import { BadRequestError, ConfigError } from './index.ts'

const facts = { sent: 'yes', retryable: false } as const

it('leads to the page of the error, also from a structured log', () => {
  expect(new ConfigError('m').docUrl).toBe(docUrl('sdk', 'config'))
  expect(JSON.parse(JSON.stringify(new ConfigError('m')))).toMatchObject({ docUrl: docUrl('sdk', 'config') })
})

it.each([
  ['publisher_mismatch', docUrl('service', 'publisher_mismatch')],
  ['a_code_of_tomorrow', docUrl('sdk', 'bad_request')],
  ['toString', docUrl('sdk', 'bad_request')],
  [null, docUrl('sdk', 'bad_request')],
])('of a refusal with the code %s leads to %s', (error, page) => {
  expect(new BadRequestError('m', facts, error, []).docUrl).toBe(page)
})
