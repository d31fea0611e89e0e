import { signCallback } from '@lead-distribution/contract'

/**
 * The Standard Webhooks headers of one callback (point 14; an extension of the sandbox). `seconds` is the time of the
 * try, whole seconds since 1970.
 */
export async function signatureHeaders(
  secret: string,
  id: string,
  seconds: number,
  url: string,
): Promise<Record<string, string>> {
  const { pathname, search } = new URL(url)
  const timestamp = String(seconds)
  const signature = await signCallback({ secret, id, timestamp, target: `${pathname}${search}` })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}
