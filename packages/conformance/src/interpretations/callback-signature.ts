import { signCallback } from '@lead-distribution/contract'
import type { ReceivedCallback } from '../callbacks.ts'
import { watchTries } from './callbacks.ts'
import { probeOf } from './probe.ts'

const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
/** What a header is called that proves something. */
const proving = /auth|sign|hmac|token|digest|secret|apikey|api-key|webhook/

/** Point 14 (Spec 6.2): does anything authenticate a callback? */
export const callbackSignature = probeOf('callback_signature', ['advertiser', 'callbacks'], target =>
  watchTries(target, {}, async ({ first }) => {
    const found = Object.keys(first.headers).filter(name => proving.test(name))
    if (found.length === 0) return ['none', 'A callback came without a header that proves anything.']
    if (standard.some(name => first.headers[name] === undefined))
      return [undefined, `A callback came with other headers that may prove something: ${found.join(', ')}.`]
    const carried = 'A callback came with the three headers of Standard Webhooks'
    const { callback_secret } = target.facts
    if (!callback_secret)
      return ['standard_webhooks', `${carried}; whether they are right was not looked at: --account has the secret.`]
    if (await isSigned(first, callback_secret))
      return ['standard_webhooks', `${carried}, and the signature is that of the secret.`]
    return [undefined, `${carried}, but the signature is not that of the secret over id, time and request target.`]
  }),
)

async function isSigned({ headers, target }: ReceivedCallback, secret: string): Promise<boolean> {
  const [id = '', timestamp = '', signatures = ''] = standard.map(name => headers[name])
  const right = await signCallback({ secret, id, timestamp, target })
  return signatures.split(' ').includes(right)
}
