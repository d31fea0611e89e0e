// Separate from the other values, because the simulator takes longer to load than a verb that calls a server.
import { readFileSync } from 'node:fs'
import { canonicalTarget } from '@lead-distribution/simulator'
import { InvalidArgumentError } from 'commander'
import { isCertificate } from '../dialer/node-dialer.ts'
import { byDefault, flag, repeatable, type Taken } from './flags.ts'
import { whole } from './values.ts'

export const addressFlags = {
  host: byDefault(flag('<host>', 'the address to listen on'), '127.0.0.1'),
  port: byDefault(flag('<port>', 'the port to listen on; 0 for any free port', whole(0, 65_535)), 4010),
}

/** `--public-url`: a server's public URL. */
export function publicUrlFlag(about: string): Taken<string | undefined> {
  return flag('<url>', about, text => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
      throw new InvalidArgumentError(
        'Pass scheme, host and port, and the path if there is one, such as http://qa.example:4010 or https://qa.example/leads.',
      )
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  })
}

export function seedFlag(about: string): Taken<number | undefined> {
  return flag('<number>', about, whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))
}

/** `--allow-callback-host`: hosts besides this machine; separated by commas in the environment variable. */
export function callbackHostFlag(about = 'also allow callbacks to this host'): Taken<readonly string[]> {
  return repeatable('<host>', about, list => list.split(',').map(parseHost), 'only this machine')
}

/** `--callback-ca`: the authority that issued the receivers' certificates. */
export const callbackAuthorityFlag = flag(
  '<file>',
  "also trust receivers whose certificates this authority signed: a PEM file, such as mkcert's rootCA.pem",
  readCertificate,
)

function readCertificate(file: string): string {
  let reason = 'it has none'
  try {
    const pem = readFileSync(file, 'utf8')
    if (isCertificate(pem)) return pem
  } catch (error) {
    reason = (error as Error).message
  }
  throw new InvalidArgumentError(`Pass a PEM file with a certificate (${reason}).`)
}

function parseHost(text: string): string {
  const host = canonicalTarget(text)
  if (host === undefined)
    throw new InvalidArgumentError(
      'Pass only a host name or an address, with or without a port, such as qa.example or 127.0.0.1:3000.',
    )
  return host
}
