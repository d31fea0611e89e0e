import { isLoopback, isSandboxHost } from '../environment.ts'
import { findingOf, type PostbackFinding } from './finding.ts'

/** The text as a URL, and what is found of its form; without a URL there is nothing else to look at. */
export function examineUrl(text: string): { readonly finding: PostbackFinding; readonly url?: URL } {
  const found = findingOf('url')
  const bare = text.trim()
  if (/[\s\\]/.test(bare))
    return { finding: found('wrong', 'The URL holds spaces, line ends or backslashes: take them away.') }
  if (/^["'`<([{]/.test(bare))
    return { finding: found('wrong', 'The URL has quotes or brackets around it: take them away.') }
  if (/^https?(:|%3a)%2f/i.test(bare))
    return { finding: found('wrong', 'The URL is percent-encoded as a whole: use it as it was delivered.') }
  if (!/^https?:\/\/[^/]/i.test(bare) || !URL.canParse(bare)) {
    const instead = bare.startsWith('/') ? 'the base address, such as http://127.0.0.1:4010,' : 'http:// or https://'
    return { finding: found('wrong', `The text is no absolute URL: write ${instead} before it.`) }
  }
  return { url: new URL(bare), finding: found(...oddity(text, bare)) }
}

/** What a URL parser would pass over without a word. */
function oddity(text: string, bare: string): [PostbackFinding['verdict'], string] {
  const { hash, username, password } = new URL(bare)
  if (hash !== '')
    return ['warning', 'The URL has a #: nothing behind it is ever sent. Write %23 where it belongs to a value.']
  if (username !== '' || password !== '')
    return ['warning', 'The URL has a user name or password: the service looks at neither. Take it away.']
  if (bare !== text) return ['warning', 'The URL has spaces around it: take them away.']
  if (/[^\x21-\x7e]/.test(bare))
    return ['warning', 'The URL holds letters beyond ASCII, which are sent percent-encoded: write them so.']
  return ['ok', 'It is an absolute URL.']
}

/** Whether the URL is of the service at a base address at all; what is no sandbox is taken for production. */
export function examineOrigin(url: URL, base: URL, isSandbox = isSandboxHost(base.hostname)): PostbackFinding {
  const found = findingOf('origin')
  const here = `the base address is ${base.origin}`
  if (url.origin === base.origin)
    return found('ok', `Scheme, host and port are those of the base address, ${base.origin}.`)
  const ofThisMachine = isLoopback(url.hostname) && isLoopback(base.hostname)
  if (url.hostname !== base.hostname && !ofThisMachine) {
    const kinds = ['production', 'a sandbox'] as const
    const [kind, ours] = [kinds[Number(isSandboxHost(url.hostname))], kinds[Number(isSandbox)]]
    return found(
      'wrong',
      kind === ours || url.protocol !== 'https:'
        ? `The host is another one: ${here}.`
        : `The host is another one and looks like ${kind}: ${here}, ${ours}, and each takes only its own leads and tokens.`,
    )
  }
  if (url.protocol !== base.protocol) return found('wrong', `The scheme is ${url.protocol.slice(0, -1)}: ${here}.`)
  if (url.port !== base.port) return found('wrong', `The port is another one: ${here}.`)
  return found('warning', `The host is another name of this machine: ${here}. Use the URL as it was delivered.`)
}
