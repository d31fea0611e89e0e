// Apart from the other values: the simulator takes longer to load than a verb that calls a server.
import { readFileSync } from 'node:fs'
import { canonicalTarget } from '@lead-distribution/simulator'
import { InvalidArgumentError, Option } from 'commander'
import { isCertificate } from '../dialer/node-dialer.ts'
import { whole } from './values.ts'

export const addressFlags = (): Option[] => [
  new Option('--host <host>', 'the address to listen on').default('127.0.0.1'),
  new Option('--port <port>', 'the port to listen on; 0 for any free port').default(4010).argParser(whole(0, 65_535)),
]

/** `--public-url`: the public address of a server. */
export function publicUrlFlag(description: string): Option {
  return new Option('--public-url <url>', description).argParser(text => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
      throw new InvalidArgumentError(
        'Pass scheme, host and port, and the path if there is one, such as http://qa.example:4010 or https://qa.example/leads.',
      )
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  })
}

export function seedFlag(description: string): Option {
  return new Option('--seed <number>', description).argParser(whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))
}

/** `--allow-callback-host`: hosts besides this machine; in the environment separated by commas. */
export function callbackHostFlag(description = 'also allow callbacks to this host'): Option {
  return new Option('--allow-callback-host <host>', `${description}; repeatable`)
    .default([], 'only this machine')
    .argParser((list: string, before: readonly string[]) => [...before, ...list.split(',').map(parseHost)])
}

/** `--callback-ca`: the authority of receivers that have a certificate of their own. */
export function callbackAuthorityFlag(): Option {
  return new Option(
    '--callback-ca <file>',
    'also trust receivers whose certificates this authority signed: a PEM file, such as the rootCA.pem of mkcert',
  ).argParser(readCertificate)
}

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
