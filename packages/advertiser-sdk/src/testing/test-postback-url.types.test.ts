import { createTestPostbackUrl, forgeTestPostbackUrls } from '@lead-distribution/advertiser-sdk/testing'
import { expect, it } from 'vitest'

/** Compiled, never run: what must not compile. */
export async function mustNotCompile() {
  // @ts-expect-error a hash of another name
  createTestPostbackUrl({ hash: 'MD5' })
  // @ts-expect-error the token is made, not given
  createTestPostbackUrl({ token: 't' })
  // @ts-expect-error no such flaw
  return (await forgeTestPostbackUrls()).too_late
}

it('holds its types by what must not compile', () => expect(mustNotCompile).toBeTypeOf('function'))
