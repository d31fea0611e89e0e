/**
 * A host as URLs spell it: lower case, punycode, IPv4 in four decimal parts, an IPv6 address in brackets and shortened,
 * without the dot that ends a name of DNS. Undefined where it is no host alone, but a URL, a pattern, a host with a port.
 */
export function canonicalHost(host: string): string | undefined {
  const text = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host
  if (/[/?#@\\*\s]|:\d*$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  return withoutFinalDot(new URL(`http://${text}/`).hostname) || undefined
}

/** A host name without the dot that says that it is whole: with it and without it, it is the same name. */
export function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '')
}
