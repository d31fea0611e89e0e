import { type Finding, failed, passed } from '../check.ts'
import { emailOf, type Submission } from './application.ts'

/** What was wrong, as a sentence; nothing where all was right. */
export type Problem = string | undefined | false

/** Failed with the first problem, else passed with what was seen. */
export function judge(seen: string, ...problems: readonly Problem[]): Finding {
  const problem = problems.find(each => each)
  return problem ? failed(problem) : passed(seen)
}

/** No lead came, or one of another customer. */
export function strayed({ calls, email }: Submission): Problem {
  if (calls.length === 0) return 'No lead arrived at the sandbox.'
  const others = calls.filter(call => emailOf(call) !== email).length
  return others > 0 && `${count(others, 'call')} carried another e-mail address than the customer's.`
}

/** The customer got no answer. */
export function crashed({ end: { exitCode, timedOut, ms } }: Submission): Problem {
  if (timedOut) return `The customer got no answer within ${seconds(ms)}: the command was ended.`
  return exitCode !== 0 && `The customer got no answer: the command ended with ${exitCode}.`
}

/** The customer was redirected although the service named no URL. */
export function redirected({ shown }: Submission): Problem {
  if (shown.includes('/_sandbox/lender/')) return 'The customer was redirected to an advertiser.'
  const [, value] = /(?:^|[/"'\s])(undefined|null)["']?$/.exec(shown) ?? []
  if (value !== undefined && !/^\s*[{[]/.test(shown)) return `The customer was redirected to "${value}".`
  return undefined
}

/** It was sent more often than it may be. */
export function sentMore({ calls }: Submission, most: number): Problem {
  return calls.length > most && `The lead was sent ${count(calls.length, 'time')}; ${most} is the most that helps.`
}

/** The customer was not redirected, or not to exactly that URL. */
export function misdirected({ shown }: Submission, redirect_url: string | null | undefined): Problem {
  if (!redirect_url) return 'The service named no redirect_url.'
  const text = shown.replaceAll('\\/', '/').replaceAll('&amp;', '&')
  const at = text.indexOf(redirect_url)
  if (at < 0) return 'What the command printed does not hold the redirect_url of the reply.'
  const next = text.charAt(at + redirect_url.length)
  return /[^\s"'<>\\),;]/.test(next) && 'The customer was redirected to the redirect_url with something added to it.'
}

/** `1 time`, `2 times`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Milliseconds for people: `2.0 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
