/** Whether a URL's host or an IP address is this machine's own: `localhost`, 127.0.0.0/8 or ::1, in every spelling. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  const ipv4 = mappedIpv4(name) ?? name
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(ipv4)
}

/** The IPv4 address that an IPv6 address carries (`::ffff:127.0.0.1`, `::ffff:7f00:1`); undefined for another. */
export function mappedIpv4(address: string): string | undefined {
  const parts = /^::ffff:(?:(\d{1,3}(?:\.\d{1,3}){3})|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address)
  if (!parts) return undefined
  if (parts[1] !== undefined) return parts[1]
  const [high, low] = [Number.parseInt(parts[2] ?? '', 16), Number.parseInt(parts[3] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
