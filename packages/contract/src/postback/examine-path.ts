import { isUuid } from '../formats.ts'
import { uuidSlips } from '../uuid-slips.ts'
import { decoded } from './decoded.ts'
import { findingOf, type PostbackFinding } from './finding.ts'
import { isPlaceHolder } from './place-holder.ts'

/** The lead's id in the path as it is sent, decoded; and what is found of the path. */
export function examinePath(url: URL, base: URL): { readonly finding: PostbackFinding; readonly leadId?: string } {
  const found = findingOf('path')
  const prefix = base.pathname.replace(/\/$/, '')
  const wanted = `${prefix}/lead/{lead_id}/status`
  const below = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : ''
  const leadId = decoded(/^\/lead\/([^/]+)\/status$/.exec(below)?.[1] ?? '')
  if (leadId) return { leadId, finding: found('ok', `The path has the form ${wanted}.`) }
  return { finding: found('wrong', `${mistake(url.pathname, prefix)} The path of a postback URL is ${wanted}.`) }
}

function mistake(path: string, prefix: string): string {
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

/** Whether the lead's id is one at all. */
export function examineLeadId(leadId: string): PostbackFinding {
  const found = findingOf('lead')
  if (isPlaceHolder(leadId))
    return found('wrong', 'The lead_id is a place-holder that was not filled in: use the URL delivered with the lead.')
  if (isUuid(leadId)) return found('ok', 'The lead_id is a UUID.')
  const hint = uuidSlips.find(({ isMade }) => isMade(leadId))?.instead
  return found('wrong', `The lead_id is no UUID${hint === undefined ? '.' : `: it ${hint}`}`)
}
