import { canonicalHost } from '@lead-distribution/simulator'
import { InvalidArgumentError } from 'commander'

/** A port to listen on. */
export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Give a port from 0 to 65535.')
  return port
}

/** A seed of random values. */
export function parseSeed(text: string): number {
  const seed = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(seed)) throw new InvalidArgumentError('Give a whole number.')
  return seed
}

/** A host to let callbacks go to. */
export function parseHost(text: string): string {
  const host = canonicalHost(text)
  if (host === undefined) throw new InvalidArgumentError('Give only a host name or an address, such as qa.example.')
  return host
}

/** The public address of a server. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new InvalidArgumentError('Give scheme, host and port, such as http://qa.example:4010.')
  return url.origin
}
