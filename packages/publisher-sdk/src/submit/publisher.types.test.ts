import { expect, it } from 'vitest'
import { sampleLead } from '../sample-lead.test.kit.ts'
import { createPublisher, type Publisher } from './publisher.ts'

/** Compiled, never run: what must not compile. */
export function mustNotCompile(publisher: Publisher) {
  const lead = sampleLead()
  const { product_data } = lead
  // @ts-expect-error request enumerations are closed
  publisher.submit({ ...lead, product_data: { ...product_data, loan_purpose: 'yacht' } })
  // @ts-expect-error amounts are numbers
  publisher.submit({ ...lead, product_data: { ...product_data, loan_amount: '5000' } })
  // @ts-expect-error the consents are required
  publisher.submit({ ...lead, consents: undefined })
  // @ts-expect-error null stands only where the specification says so
  publisher.submit({ ...lead, tracking: null })
  // @ts-expect-error a misspelled field of ours: the wire says nacionality
  publisher.submit({ ...lead, customer: { ...lead.customer, personal_data: { nationality: 'ES' } } })
  // @ts-expect-error an earlier attempt is named by what the error carried
  publisher.submit(lead, { after: 'yesterday' })
  createPublisher({ baseUrl: 'https://acme.example.com', apiKey: process.env.KEY, fetch: globalThis.fetch })
  // @ts-expect-error no address
  createPublisher({ apiKey: 'k' })
  // @ts-expect-error half an address
  createPublisher({ tenant: 'acme' })
  // @ts-expect-error two addresses
  createPublisher({ baseUrl: 'https://acme.example.com', tenant: 'acme', serviceDomain: 'example.com' })
  // @ts-expect-error a number is no key
  createPublisher({ baseUrl: 'https://acme.example.com', apiKey: 7 })
}

it('holds its types by what must not compile', () => expect(mustNotCompile).toBeTypeOf('function'))
