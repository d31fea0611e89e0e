import { equalText, signCallback } from '@lead-distribution/sdk-core/callbacks'
import type { SignatureVerification } from './verification.ts'

/** Whether a request target is signed by one of the secrets, at about this time. */
export async function verifySignature(
  headers: Headers,
  target: string,
  { secrets, toleranceSeconds = 300, now = () => new Date() }: SignatureVerification,
): Promise<boolean> {
  const id = headers.get('webhook-id')
  const timestamp = headers.get('webhook-timestamp')
  const given = headers.get('webhook-signature')?.split(' ').slice(0, 16) ?? []
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false
  if (!(Math.abs(now().getTime() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false
  let signed = false
  for (const secret of secrets) {
    const expected = await signCallback({ secret, id, timestamp, target })
    for (const signature of given) signed = equalText(signature, expected) || signed
  }
  return signed
}
