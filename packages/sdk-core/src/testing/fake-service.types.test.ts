import { createFakeService, type FakeReply, type FakeService } from '@lead-distribution/sdk-core/testing'
import { expect, it } from 'vitest'

/** Compiled, never run: what must not compile. */
export function mustNotCompile(fake: FakeService) {
  const reply: FakeReply = 'http_503'
  fake.next('new', 'http_503', 'refused', reply, Response.json({}), request => Response.json({ path: request.path }))
  // @ts-expect-error no such reply
  fake.next('approved')
  // @ts-expect-error no such error
  fake.next('http_499')
  // @ts-expect-error the steps of a chain are separate replies
  fake.next('http_503.new')
  // @ts-expect-error an error is a name here
  fake.always(503)
  // @ts-expect-error a function answers with a Response
  fake.next(() => ({ status: 200 }))
  // @ts-expect-error no such operation
  fake.requests[0]?.operation === 'submit'
  // @ts-expect-error what was sent is not to be changed
  fake.requests.push()
  // @ts-expect-error credentials are not kept
  fake.requests[0]?.apikey
  // @ts-expect-error no such option
  createFakeService({ apiKey: 'k' })
  const usual: typeof globalThis.fetch = fake.fetch
  return usual
}

it('holds its types by what must not compile', () => expect(mustNotCompile).toBeTypeOf('function'))
