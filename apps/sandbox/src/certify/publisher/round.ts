import type { ScenarioWord } from '@lead-distribution/test-leads'
import { type CertifySandbox, createSandboxControl, type SandboxControl } from '../certify-sandbox.ts'
import { type Finding, failed, type ProfileName, passed } from '../check.ts'
import {
  createSubmitter,
  emailOf,
  howToSee,
  type PublisherApplication,
  responsesOf,
  type Submission,
  type SubmitConditions,
} from './application.ts'
import { type CallbackDriver, createCallbackDriver } from './callback-driver.ts'

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
  if (shown.includes('/_sandbox/advertiser/')) return 'The customer was redirected to an advertiser.'
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

/** What the checks of a publisher's application share for one round: one pass over them, under one profile. */
export interface PublisherRound {
  readonly profile: ProfileName
  readonly sandbox: CertifySandbox
  readonly control: SandboxControl
  readonly application: PublisherApplication
  /** Submits as a new customer, whose outcome the scenario forces. */
  submit(scenario: ScenarioWord, conditions?: SubmitConditions): Promise<Submission>
  /** A submission without a fault, the same one for all checks of the round. */
  ordinary(): Promise<Ordinary>
  /** Why the application gives no lead, a sentence; undefined where it does. */
  unready(): Promise<string | undefined>
  readonly callbacks: CallbackDriver
}

/** A submission without a fault, and what other interpretations of the specification do with it. */
export interface Ordinary extends Submission {
  /** Sentences. */
  readonly warnings: readonly string[]
}

/** Makes a round. */
export function createPublisherRound(
  sandbox: CertifySandbox,
  profile: ProfileName,
  application: PublisherApplication,
): PublisherRound {
  const control = createSandboxControl(sandbox)
  const submit = createSubmitter(sandbox, control, application)
  let first: Promise<Ordinary> | undefined

  async function submitOrdinary(): Promise<Ordinary> {
    const submission = await submit('distributed')
    const given = submission.calls.length === 0 ? [] : await control.portabilityWarnings()
    const warnings = given.map(
      each => `${each.switch} is ${each.interpretation} here; where it is ${each.other_interpretation}, ${each.would}`,
    )
    return { ...submission, warnings }
  }

  const round: PublisherRound = {
    profile,
    sandbox,
    control,
    application,
    submit,
    ordinary: () => {
      first ??= submitOrdinary()
      return first
    },
    async unready() {
      if (application.submitCommand === undefined) return howToSee.submitCommand
      const { status } = responsesOf(await round.ordinary())[0] ?? {}
      if (status !== undefined) return undefined
      return 'The service takes no lead of the application: fix lead.accepted first.'
    },
    callbacks: createCallbackDriver(sandbox.account, control, application, async () => {
      if ((await round.unready()) === undefined) return submit('distributed')
      return undefined
    }),
  }
  return round
}
