import { isLoopback, isSandboxHost, isUuid } from '@lead-distribution/contract'
import { uuidHint } from '../format-hint.ts'
import { findingOf, isPlaceHolder, type PostbackFinding } from './finding.ts'
import { decoded } from './token-making.ts'

/** The text as a URL, and the finding of its form; without a URL there is nothing else to diagnose. */
export function diagnoseUrl(text: string): { readonly finding: PostbackFinding; readonly url?: URL } {
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

/** What a URL parser ignores. */
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

/** Whether the URL is of the service at a base address. A host that is no sandbox counts as production. */
export function diagnoseOrigin(url: URL, base: URL, isSandbox = isSandboxHost(base.hostname)): PostbackFinding {
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

/** The lead's id in the path as it is sent, decoded; and the finding of the path. */
export function diagnosePath(url: URL, base: URL): { readonly finding: PostbackFinding; readonly leadId?: string } {
  const found = findingOf('path')
  const prefix = base.pathname.replace(/\/$/, '')
  const wanted = `${prefix}/lead/{lead_id}/status`
  const below = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : ''
  const leadId = decoded(/^\/lead\/([^/]+)\/status$/.exec(below)?.[1] ?? '')
  if (leadId) return { leadId, finding: found('ok', `The path has the form ${wanted}.`) }
  return { finding: found('wrong', `${mistake(url.pathname, prefix)} The path of a postback URL is ${wanted}.`) }
}

function mistake(path: string, prefix: string): string {
  if (path.includes('/advertiser/')) return "This is the customer's redirect_url, and no postback_url."
  if (/%(?![0-9a-f]{2})/i.test(path))
    return 'The path holds a % that escapes nothing; perhaps a place-holder was not filled in.'
  if (/^\/lead\/[^/]+\/status$/.test(path)) return `The path lacks ${prefix}.`
  if (/^\/api\/v[^/]*\/lead\//.test(path) && !path.startsWith(`${prefix}/`)) return 'The path is of another version.'
  if (path.includes('//')) return 'The path holds two slashes in a row, or no lead_id between them.'
  if (path.endsWith('/')) return 'The path ends with a slash.'
  if (/\/leads\//i.test(path)) return 'The path has leads instead of lead.'
  if (path !== path.toLowerCase() && /\/lead\/[^/]+\/status$/i.test(path)) return 'The path has capital letters.'
  if (/\/lead\/[^/]+$/.test(path)) return 'The path lacks /status.'
  return 'The path is no postback URL.'
}

/** Whether the lead's id is a UUID. */
export function diagnoseLeadId(leadId: string): PostbackFinding {
  const found = findingOf('lead')
  if (isPlaceHolder(leadId))
    return found('wrong', 'The lead_id is a place-holder that was not filled in: use the URL delivered with the lead.')
  if (isUuid(leadId)) return found('ok', 'The lead_id is a UUID.')
  const hint = uuidHint(leadId)
  return found('wrong', `The lead_id is no UUID${hint === undefined ? '.' : `: it ${hint}`}`)
}
