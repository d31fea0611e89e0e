import { type CallbackClaims, createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { expect } from 'vitest'
import { callbackSecret } from './publisher-names.fixture.ts'

/** A callback as the service sends it. */
export function callbackOf(lead: string, event: string, secret = callbackSecret) {
  return new Request(`https://publisher.example/callbacks/${secret}?lead_id=${lead}&event=${event}`)
}

/** Claims hold over receivers of several processes, end with their lease, and stay when they are confirmed. */
export async function expectClaims(claims: CallbackClaims) {
  const lead = crypto.randomUUID()
  const handled: string[] = []
  const receive = () =>
    createCallbackReceiver({
      verify: { urlSecrets: [callbackSecret] },
      claims,
      onError: () => {},
      handle({ rawEvent }) {
        handled.push(rawEvent)
        if (handled.length === 1) throw new Error('The first try fails.')
      },
    })(callbackOf(lead, 'approved'))
  const statuses = [await receive(), await receive(), await receive()].map(reply => reply.status)
  expect([statuses, handled]).toEqual([
    [500, 200, 200],
    ['approved', 'approved'],
  ])

  const claim = (leaseMs: number, event = 'completed') => ({
    lead_id: lead,
    event,
    token: crypto.randomUUID(),
    leaseMs,
  })
  const [slow, next] = [claim(1), claim(600_000)]
  expect(await claims.claim(slow)).toBe('claimed')
  await expect.poll(() => claims.claim(next)).toBe('claimed')
  await claims.release(slow)
  expect(await claims.claim(claim(1))).toBe('busy')
  await claims.confirm(slow)
  await claims.release(next)
  expect(await claims.claim(claim(1))).toBe('done')
  const [late, failed] = [claim(1, 'rejected'), claim(600_000, 'rejected')]
  await claims.claim(late)
  await expect.poll(() => claims.claim(failed)).toBe('claimed')
  await claims.release(failed)
  await claims.confirm(late)
  expect(await claims.claim(claim(1, 'rejected'))).toBe('done')
  const many = Array.from({ length: 20 }, () => claims.claim(claim(600_000, 'defaulted')))
  expect((await Promise.all(many)).filter(result => result === 'claimed')).toHaveLength(1)
}
