import type { LeadResponse } from '@lead-distribution/contract'
import type { HttpResponse } from '@lead-distribution/http'
import { count, jsonObject, type Problem, seconds } from '../check.ts'
import type { CommandEnd } from '../run-command.ts'
import type { RecordedRequest } from '../sandbox.ts'

/** One run of the command that submits an application, with the requests that arrived at the service. */
export interface Submission {
  readonly email: string
  /** The requests that the application sent, oldest first. */
  readonly requests: readonly RecordedRequest[]
  /** The output of the command, which shows what the customer gets. */
  readonly shown: string
  readonly end: CommandEnd
}

/** Returns the responses to the application, oldest first; a response that was lost or is not JSON is empty. */
export function responsesOf({ requests }: Submission): Partial<LeadResponse>[] {
  return requests.map(({ response }) => (response && !response.broken && jsonObject(response.body)) || {})
}

/** Returns the id of the lead that the service created for a submission; undefined if there is none. */
export function leadIdOf(submission: Submission): string | undefined {
  return responsesOf(submission).find(({ lead_id }) => lead_id)?.lead_id ?? undefined
}

export function redirectUrlOf(submission: Submission): string | null | undefined {
  return responsesOf(submission).find(({ status }) => status === 'distributed')?.redirect_url
}

/** Returns the email address of a submitted lead, in lower case. */
export function emailOf({ body }: Pick<RecordedRequest, 'body'>): string | undefined {
  try {
    const address = JSON.parse(body)?.customer?.contact?.email?.address
    return typeof address === 'string' ? address.toLowerCase() : undefined
  } catch {
    return undefined
  }
}

/** Finds that no lead arrived, or another customer's lead. */
export function strayed({ requests, email }: Submission): Problem {
  if (requests.length === 0) return 'No lead arrived at the sandbox.'
  const others = requests.filter(request => emailOf(request) !== email).length
  return others > 0 && `${count(others, 'request')} had an email address other than the customer's.`
}

/** Finds that the customer got no response. */
export function crashed({ end: { exitCode, timedOut, ms } }: Submission): Problem {
  if (timedOut) return `The customer got no response within ${seconds(ms)}: the command was killed.`
  return exitCode !== 0 && `The customer got no response: the command exited with code ${exitCode}.`
}

/** Finds that the customer was redirected although the service returned no URL. */
export function redirected({ shown }: Submission): Problem {
  if (shown.includes('/_sandbox/advertiser/')) return 'The customer was redirected to an advertiser.'
  const [, value] = /(?:^|[/"'\s])(undefined|null)["']?$/.exec(shown) ?? []
  if (value !== undefined && !/^\s*[{[]/.test(shown)) return `The customer was redirected to "${value}".`
  return undefined
}

/** Finds that the customer was not redirected, or not to exactly that URL. */
export function misdirected({ shown }: Submission, redirect_url: string | null | undefined): Problem {
  if (!redirect_url) return 'The service returned no redirect_url.'
  const text = shown.replaceAll('\\/', '/').replaceAll('&amp;', '&')
  const at = text.indexOf(redirect_url)
  if (at < 0) return "The command's output does not contain the response's redirect_url."
  const next = text.charAt(at + redirect_url.length)
  return /[^\s"'<>\\),;]/.test(next) && 'The customer was redirected to the redirect_url with something appended.'
}

/** Finds that the lead was sent too often. */
export function sentMore({ requests }: Submission, most: number): Problem {
  return requests.length > most && `The lead was sent ${count(requests.length, 'time')} (at most ${most} allowed).`
}

/** Finds that the lead was sent again within `retryAfter` seconds. */
export function tooSoon({ requests }: Submission, retryAfter: number): Problem {
  const gaps = requests.slice(1).map(({ at }, place) => at - (requests[place]?.at ?? 0))
  const shortest = Math.min(...gaps)
  // Tolerates 10% less, because clocks round.
  const isEarly = shortest < retryAfter * 900
  return isEarly && `The lead was sent again after ${seconds(shortest)}, although Retry-After was ${retryAfter} s.`
}

/** Returns a function that changes values in the body of a 200. */
export const changed =
  (values: object) =>
  (response: HttpResponse): HttpResponse | undefined =>
    response.status === 200
      ? { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...values }) }
      : undefined
