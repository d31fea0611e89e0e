import { isLoopback } from './loopback.ts'

/**
 * Why callbacks must not go to a URL; undefined where they may. They go to this machine, or to a host that was
 * allowed by name when the sandbox was started. The sentence names the flag that would allow it.
 */
export function refuseCallbackUrl(text: string, allowedHosts: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, such as http://127.0.0.1:3000/callbacks'
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  if (username !== '' || password !== '') return 'must hold no user name and no password'
  if (isLoopback(hostname) || allowedHosts.includes(hostname)) return undefined
  return `goes to a host that is not allowed: callbacks stay on this machine unless the sandbox is started with --allow-callback-host ${hostname}`
}

/**
 * Why an address that the host of a callback URL turned out to have must not be dialled; undefined where it may.
 * Asked with the very address that is dialled, so that a name cannot point elsewhere in between.
 */
export function refuseDialledAddress(hostname: string, address: string): string | undefined {
  if (isLoopback(hostname)) return isLoopback(address) ? undefined : `${hostname} is not an address of this machine`
  return forbiddenAddress.test(address) || isLoopback(address)
    ? `${hostname} has an address that is never dialled for an allowed host; a receiver on this machine is named 127.0.0.1`
    : undefined
}

/** Unspecified, link-local (cloud metadata among them), multicast, broadcast. */
const forbiddenAddress = /^(?:0\.|169\.254\.|22[4-9]\.|23\d\.|24\d\.|25[0-5]\.|::$|::ffff:|fe[89ab]|ff|fd00:ec2:)/i
