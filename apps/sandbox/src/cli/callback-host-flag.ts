// Apart from the other values: the simulator takes longer to load than a verb that calls a server.
import { canonicalTarget } from '@lead-distribution/simulator'
import { InvalidArgumentError, Option } from 'commander'

/** A host to let callbacks go to, or one of its ports. */
function parseHost(text: string): string {
  const host = canonicalTarget(text)
  if (host === undefined)
    throw new InvalidArgumentError(
      'Give only a host name or an address, with a port or without, such as qa.example or 127.0.0.1:3000.',
    )
  return host
}

/** The flag for hosts besides this machine; by the environment several come with commas between them. */
export function callbackHostFlag(what = 'let callbacks go to this host too'): Option {
  return new Option('--allow-callback-host <host>', `${what}; may be given again`)
    .default([], 'only this machine')
    .argParser((list: string, before: readonly string[]) => [...before, ...list.split(',').map(parseHost)])
}
