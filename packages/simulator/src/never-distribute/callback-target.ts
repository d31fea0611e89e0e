import { readIpAddress } from '@lead-distribution/contract'
import { canonicalHost, isLoopback, withoutFinalDot } from './hosts.ts'
import { refusedReason } from './refused-networks.ts'

/**
 * Why callbacks must not go to a URL; undefined where they may. They go to this machine, or to a host that was
 * allowed by name when the sandbox was started. The sentence names the flag that allows it, or says that none does.
 */
export function refuseCallbackUrl(text: string, allowedHosts: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, such as http://127.0.0.1:3000/callbacks'
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  if (username !== '' || password !== '') return 'must hold no user name and no password'
  if (isLoopback(hostname)) return undefined
  const address = readIpAddress(hostname.replace(/^\[|\]$/g, ''))
  const reason = address && refusedReason(address)
  if (reason !== undefined) return `goes to ${hostname}, ${reason}: ${noFlag}`
  const name = withoutFinalDot(hostname)
  if (allowedHosts.some(host => canonicalHost(host) === name)) return undefined
  return `goes to a host that is not allowed: callbacks stay on this machine unless the sandbox is started with --allow-callback-host ${name}`
}

/**
 * Why an address that the host of a callback URL turned out to have must not be dialled; undefined where it may.
 * Called with the very address that is dialled, so that a name cannot point elsewhere in between.
 */
export function refuseDialledAddress(hostname: string, address: string): string | undefined {
  if (isLoopback(hostname))
    return isLoopback(address)
      ? undefined
      : `${hostname} has the address ${address}, which is not this machine's: ${noFlag}`
  const read = readIpAddress(address)
  const reason = read ? refusedReason(read) : 'which is no IP address'
  return reason === undefined ? undefined : `${hostname} has the address ${address}, ${reason}: ${noFlag}`
}

const noFlag =
  'it is never dialled, and no flag allows it, not even --allow-callback-host; call a receiver on this machine 127.0.0.1'
