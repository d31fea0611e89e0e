import {
  createTestCallback,
  createTestLeads,
  fakeAccount,
  forgeTestCallbacks,
} from '@lead-distribution/publisher-sdk/testing'
import { expect, it } from 'vitest'

/** Compiled, never run: what must not compile. */
export async function mustNotCompile() {
  const callback = { url: 'https://publisher.example/cb', lead_id: 'x', event: 'loan_issued' }
  // @ts-expect-error no lead
  createTestCallback({ url: callback.url, event: 'approved' })
  const plain = await forgeTestCallbacks(callback)
  const signed: Request = (await forgeTestCallbacks({ ...callback, secret: 'whsec_' })).unsigned
  const hidden: Request = (await forgeTestCallbacks({ ...callback, urlSecret: 's' })).no_url_secret
  // @ts-expect-error without a secret nothing is forged about a signature
  plain.unsigned
  // @ts-expect-error without a secret in the URL nothing is forged about it
  plain.no_url_secret
  // @ts-expect-error no such flaw
  plain.too_late
  // @ts-expect-error no such scenario
  createTestLeads(fakeAccount).scenario('too_poor')
  return [signed, hidden]
}

it('holds its types by what must not compile', () => expect(mustNotCompile).toBeTypeOf('function'))
