const pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\/(?:3[0-2]|[12]?\d)$/

/** Whether a text is an IPv4 network in CIDR form, such as `192.0.2.0/24`. */
export function isIpv4Range(text: string): boolean {
  return pattern.test(text)
}

/** Whether an IPv4 address is inside a network of CIDR form. Both texts must be well-formed. */
export function ipv4InRange(address: string, range: string): boolean {
  const [network = '', bits = '32'] = range.split('/')
  const size = 2 ** (32 - Number(bits))
  return Math.floor(toNumber(address) / size) === Math.floor(toNumber(network) / size)
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
}
