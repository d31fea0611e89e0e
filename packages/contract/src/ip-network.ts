/** An IP address as 16 bytes. IPv4 is in IPv4-mapped form, because both forms reach the same host. */
export type IpAddress = readonly number[]

/** A network: its first address and its prefix length in bits. */
export interface IpNetwork {
  readonly first: IpAddress
  readonly bits: number
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]

/** Parses an IP address, ignoring its zone. Returns undefined for a host name and for forms that only URLs accept. */
export function readIpAddress(text: string): IpAddress | undefined {
  if (text.includes(':')) return readIpv6(text.replace(/%.*$/, ''))
  const bytes = readIpv4(text)
  return bytes && fromIpv4(bytes)
}

/**
 * Parses a network in CIDR notation, such as `169.254.0.0/16` or `fe80::/10`, or a single address as a network of its
 * own.
 * @throws RangeError if it is neither.
 */
export function readIpNetwork(text: string): IpNetwork {
  const [, address = '', length = '128'] = /^([^/%]+)(?:\/(\d|[1-9]\d{1,2}))?$/.exec(text) ?? []
  const first = readIpAddress(address)
  const bits = Number(length) + (address.includes(':') || !text.includes('/') ? 0 : 8 * mappedPrefix.length)
  if (!first || bits > 128) throw new RangeError(`Write a network such as 169.254.0.0/16 instead of ${text}.`)
  return { first, bits }
}

/** Returns true for an IP address with a port, such as `203.0.113.7:443` or `[2001:db8::7]:443`. */
export function hasPort(text: string): boolean {
  return /^(?:.*\d\.\d+|\[.*\]):\d+$/.test(text)
}

/** Returns true if an address is inside a network. */
export function isInNetwork(address: IpAddress, { first, bits }: IpNetwork): boolean {
  return first.every((byte, index) => {
    const unused = Math.min(8, Math.max(0, 8 * (index + 1) - bits))
    return byte >> unused === (address[index] ?? 0) >> unused
  })
}

/** Returns the address with four bytes of IPv4. */
export function fromIpv4(bytes: readonly number[]): IpAddress {
  return [...mappedPrefix, ...bytes]
}

/** Returns true if a text is an IPv4 network in CIDR notation, such as `192.0.2.0/24`. */
export function isIpv4Range(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  return rest.length === 0 && /^(?:3[0-2]|[12]?\d)$/.test(bits) && readIpv4(address) !== undefined
}

/** Returns true if an IPv4 address is inside a CIDR network. Compares numbers, because it runs on every submission. */
export function ipv4InRange(address: string, range: string): boolean {
  const [network = '', bits = '32'] = range.split('/')
  const [one, other] = [readIpv4(address), readIpv4(network)]
  if (!one || !other) return false
  const size = 2 ** (32 - Number(bits))
  return Math.floor(toNumber(one) / size) === Math.floor(toNumber(other) / size)
}

function toNumber(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

const [dot, zero, nine] = [...'.09'].map(character => character.charCodeAt(0)) as [number, number, number]

/** Character by character, because a regular expression takes four times as long. */
function readIpv4(text: string): number[] | undefined {
  const bytes: number[] = []
  let byte = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === dot && byte >= 0) {
      bytes.push(byte)
      byte = -1
    } else if (code >= zero && code <= nine && byte !== 0) {
      // A leading zero is refused: some parsers read the number as octal.
      byte = Math.max(0, byte) * 10 + code - zero
      if (byte > 255) return undefined
    } else return undefined
  }
  if (byte >= 0) bytes.push(byte)
  return byte >= 0 && bytes.length === 4 ? bytes : undefined
}

function readIpv6(text: string): IpAddress | undefined {
  const halves = withoutDots(text).split('::')
  const [head = [], tail = []] = halves.map(half => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - tail.length
  const isWhole = halves.length === 1 ? missing === 0 : halves.length === 2 && missing > 0
  const groups = [...head, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail]
  if (!isWhole || !groups.every(group => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.map(group => Number.parseInt(group, 16)).flatMap(number => [number >> 8, number & 255])
}

/**
 * Rewrites a trailing IPv4 address (`::ffff:127.0.0.1`) as two groups. Other text stays unchanged, and is then not a
 * valid group.
 */
function withoutDots(text: string): string {
  return text.replace(/(?<=:)[\d.]+$/, end => {
    const bytes = readIpv4(end)
    if (!bytes) return end
    const [a = 0, b = 0, c = 0, d = 0] = bytes
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
}
