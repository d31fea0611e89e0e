/**
 * The Standard Webhooks headers of one callback (point 14; an extension of the sandbox). A GET has no body, so
 * what is signed is the request target: `id.timestamp.` and then the path with its query.
 * `seconds` is the time of the try, whole seconds since 1970.
 */
export async function signCallback(
  secret: string,
  id: string,
  seconds: number,
  url: string,
): Promise<Record<string, string>> {
  const { pathname, search } = new URL(url)
  const content = new TextEncoder().encode(`${id}.${seconds}.${pathname}${search}`)
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), character => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  }
}
