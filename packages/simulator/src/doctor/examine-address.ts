import { isLoopback } from '../never-distribute/loopback.ts'
import type { Finding } from './finding.ts'

/** The text as a URL, and what is found of its form; without a URL there is nothing else to look at. */
export function examineUrl(text: string): { readonly finding: Finding; readonly url?: URL } {
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'url', verdict, message })
  const bare = text.trim()
  if (/[\s\\]/.test(bare))
    return { finding: found('wrong', 'The URL holds spaces, line ends or backslashes: take them away.') }
  if (!URL.canParse(bare) || !/^https?:\/\//i.test(bare)) {
    const instead = bare.startsWith('/') ? 'the base address, such as http://127.0.0.1:4010,' : 'http:// or https://'
    return { finding: found('wrong', `The text is no absolute URL: write ${instead} before it.`) }
  }
  const url = new URL(bare)
  if (url.hash !== '')
    return {
      url,
      finding: found(
        'warning',
        'The URL has a #: nothing behind it is ever sent. Write %23 where it belongs to a value.',
      ),
    }
  if (url.username !== '' || url.password !== '')
    return {
      url,
      finding: found('warning', 'The URL has a user name or password: the service looks at neither. Take it away.'),
    }
  if (bare !== text) return { url, finding: found('warning', 'The URL has spaces around it: take them away.') }
  return { url, finding: found('ok', 'It is an absolute URL.') }
}

/** Whether the URL is of this sandbox at all. */
export function examineOrigin(url: URL, base: URL): Finding {
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'origin', verdict, message })
  const here = `this sandbox stands at ${base.origin}`
  if (url.origin === base.origin) return found('ok', `Scheme, host and port are those of this sandbox, ${base.origin}.`)
  const ofThisMachine = isLoopback(url.hostname) && isLoopback(base.hostname)
  if (url.hostname !== base.hostname && !ofThisMachine)
    return found(
      'wrong',
      url.protocol === 'https:' && !isLoopback(url.hostname)
        ? `The host is another one and looks like production: ${here}, and each takes only its own leads and tokens.`
        : `The host is another one: ${here}.`,
    )
  if (url.protocol !== base.protocol) return found('wrong', `The scheme is ${url.protocol.slice(0, -1)}: ${here}.`)
  if (url.port !== base.port) return found('wrong', `The port is another one: ${here}.`)
  return found('warning', `The host is another name of this machine: ${here}. Use the URL as it was delivered.`)
}

/** The lead's id in the path as it is sent, decoded; and what is found of the path. */
export function examinePath(url: URL, base: URL): { readonly finding: Finding; readonly leadId?: string } {
  const prefix = base.pathname.replace(/\/$/, '')
  const wanted = `${prefix}/lead/{lead_id}/status`
  const below = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : undefined
  const segment = /^\/lead\/([^/]+)\/status$/.exec(below ?? '')?.[1]
  const leadId = segment === undefined ? undefined : decode(segment)
  if (leadId !== undefined)
    return { leadId, finding: { check: 'path', verdict: 'ok', message: `The path has the form ${wanted}.` } }
  const message = `${pathMistake(url.pathname, prefix)} The path of a postback URL is ${wanted}.`
  return { finding: { check: 'path', verdict: 'wrong', message } }
}

function pathMistake(path: string, prefix: string): string {
  if (path.includes('/lender/')) return "This is the customer's redirect_url, and no postback_url."
  if (/%(?![0-9a-f]{2})/i.test(path))
    return 'The path holds a % that escapes nothing; perhaps a place-holder was not filled in.'
  if (/^\/lead\/[^/]+\/status$/.test(path)) return `The path lacks ${prefix}.`
  if (/^\/api\/v[^/]*\/lead\//.test(path) && !path.startsWith(`${prefix}/`)) return 'The path is of another version.'
  if (path.includes('//')) return 'The path holds two slashes in a row, or no lead_id between them.'
  if (path.endsWith('/')) return 'The path ends with a slash.'
  if (/\/leads\//i.test(path)) return 'The path says leads, not lead.'
  if (path !== path.toLowerCase() && /\/lead\/[^/]+\/status$/i.test(path)) return 'The path has capital letters.'
  if (/\/lead\/[^/]+$/.test(path)) return 'The path lacks /status.'
  return 'The path is no postback URL.'
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
