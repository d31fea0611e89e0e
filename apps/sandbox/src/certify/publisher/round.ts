import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  callbackSignatureHeaders,
  callbackUrl,
  canonicalEvent,
  convertedStatus,
  type LeadResponse,
  publisherEnvironment,
  usageEvent,
} from '@lead-distribution/contract'
import { type ScenarioWord, scenarioAddress } from '@lead-distribution/contract/test-leads'
import type { Callback } from '@lead-distribution/control-client'
import { objectIn } from '../../cli/values.ts'
import { type ApplicationResponse, type CommandEnd, callApplication, runCommand } from '../application-driver.ts'
import type { CertifySandbox, ChangeResponse, Fault, RecordedCall } from '../certify-sandbox.ts'
import { type Check, count, type Finding, failed, notSeen, type ProfileName, passed, poll, seconds } from '../check.ts'

/** Access to a publisher's application. A check that needs a missing part is not seen. */
export interface PublisherApplication {
  readonly callbackUrl?: string | undefined
  /** Submits one customer's application, and prints what the customer gets. */
  readonly submitCommand?: string | undefined
  /** Prints the events that it counts for a lead. */
  readonly eventsCommand?: string | undefined
  /** True if the sandbox signs its callbacks (open point 14). */
  readonly signed: boolean
  readonly commandTimeoutMs: number
  /** Hosts besides this machine that callbacks may go to. */
  readonly allowedHosts: readonly string[]
}

/** The flag that a check needs, by what it looks at. */
export const howToSee = {
  submitCommand:
    "Pass --submit-command: a command that submits an application for $LEAD_EMAIL and prints the customer's page or redirect.",
  eventsCommand:
    'Pass --events-command: a command that prints the events that the application counted for the lead $LEAD_ID.',
  callbackUrl: 'Pass --callback-url: the URL where the application receives callbacks.',
} as const

/** One run of the command that submits an application, and what arrived at the service. */
export interface Submission {
  readonly email: string
  /** The calls that were made for it, oldest first. */
  readonly calls: readonly RecordedCall[]
  /** The output of the command: what the customer gets. */
  readonly shown: string
  readonly end: CommandEnd
}

export interface SubmitConditions {
  /** The effect of a fault of the sandbox, and how often it acts. */
  readonly effect?: Fault['effect']
  readonly times?: number
  readonly change?: ChangeResponse
  /** True to keep watching for retries after the command has ended. */
  readonly watch?: boolean
}

export interface HandmadeCallback {
  readonly lead_id: string
  readonly event: string
  readonly method?: string
  readonly at?: (url: string) => string
  /** The headers instead of those of the sandbox's own signature. */
  readonly headers?: (url: string) => Promise<Readonly<Record<string, string>>>
  /** The callback URL. Default: that of the application. */
  readonly to?: string
}

/** The time to watch for retries, milliseconds: a retry within it comes without a pause. */
const watchMs = 1_500
/** The time the application has to count an event after its 2xx, milliseconds: it may use a queue. */
const settleMs = 3_000
/** The time to wait for the first attempt of a callback, milliseconds: the timeout of one attempt and a little more. */
const tryMs = 12_000

/** Shared by the checks of a publisher's application for one round: one pass over them, under one profile. */
export type PublisherRound = ReturnType<typeof createPublisherRound>

export function createPublisherRound(sandbox: CertifySandbox, profile: ProfileName, application: PublisherApplication) {
  const { recorder, account, tenant } = sandbox
  const { submitCommand, eventsCommand, signed, commandTimeoutMs: timeoutMs, allowedHosts } = application
  const earlierCustomers = new Set<string>()
  let first: ReturnType<typeof submitOrdinary> | undefined

  /** Submits as a new customer whose outcome the scenario forces, and collects the calls that arrive. */
  async function submit(scenario: ScenarioWord, conditions: SubmitConditions = {}): Promise<Submission> {
    const email = scenarioAddress(scenario, `certify-${randomUUID().slice(0, 13)}`)
    const from = recorder.calls.length
    const { effect, times, change, watch = false } = conditions
    const environment = { ...publisherEnvironment(account(), { signed }), LEAD_EMAIL: email }
    const runOnce = () => runCommand({ command: submitCommand ?? '', environment, timeoutMs })
    const run = async () => {
      const end = await (change ? recorder.changing(change, runOnce) : runOnce())
      if (watch) await sleep(watchMs)
      return end
    }
    const match = { operation: 'submitLead', scenario } as const
    const end = await (effect ? sandbox.withFault({ match, effect, times }, run) : run())
    // An earlier customer's application may be sent again only now.
    const isOurs = (call: RecordedCall) => call.method === 'POST' && !earlierCustomers.has(emailOf(call) ?? '')
    const calls = recorder.calls.slice(from).filter(isOurs)
    earlierCustomers.add(email)
    return { email, calls, shown: end.stdout.trim(), end }
  }

  async function submitOrdinary() {
    const submission = await submit('distributed')
    // The journal shows the outcome under the other interpretations.
    const [latest] = submission.calls.length === 0 ? [] : (await lastRequests()).requests
    const warnings = (latest?.warnings ?? []).map(
      each => `${each.switch} is ${each.interpretation} here; where it is ${each.other_interpretation}, ${each.would}`,
    )
    return { ...submission, warnings }
  }

  const lastRequests = () => tenant.requests.list({ operation: 'submitLead', limit: 1 })

  const signedHeaders = (url: string): Promise<Record<string, string>> =>
    callbackSignatureHeaders({ secret: account().publisher.callback_secret, id: randomUUID(), at: Date.now(), url })

  const round = {
    profile,
    sandbox,
    application,
    submit,
    /** Returns the round's submission without a fault, with warnings of the other interpretations. */
    ordinary() {
      first ??= submitOrdinary()
      return first
    },
    /** Returns why the application submits no lead, a sentence; undefined if it does. */
    async unready(): Promise<string | undefined> {
      if (submitCommand === undefined) return howToSee.submitCommand
      const { status } = responsesOf(await round.ordinary())[0] ?? {}
      if (status !== undefined) return undefined
      return 'The service accepted no lead from the application: fix lead.accepted first.'
    },
    /** Returns a new lead of the application, or one that it does not know if it cannot submit. */
    async lead(): Promise<string> {
      const submission = (await round.unready()) === undefined ? await submit('distributed') : undefined
      return (submission && leadIdOf(submission)) ?? round.unknownLead()
    },
    /** Returns a lead that the service has and the application does not know. */
    unknownLead: async (): Promise<string> => (await sandbox.submitTestLead()).lead_id,
    /** Makes the simulated advertiser report an event; returns the lead's callbacks once each was attempted. */
    async report(lead_id: string, event: string): Promise<readonly Callback[]> {
      await tenant.leads.trigger(lead_id, { event, via: event === convertedStatus ? 'body' : 'pixel' })
      return round.tried(lead_id)
    },
    /** Returns the lead's callbacks once each was attempted. */
    tried: (lead_id: string): Promise<readonly Callback[]> =>
      poll(
        async () => (await tenant.callbacks.list({ leadId: lead_id })).callbacks,
        callbacks => callbacks.every(({ state }) => state !== 'pending'),
        tryMs,
      ),
    /** Sends a callback directly: the one that the sandbox would send, with the given changes. */
    async send({
      lead_id,
      event,
      method = 'GET',
      at = url => url,
      headers,
      to = application.callbackUrl ?? '',
    }: HandmadeCallback): Promise<ApplicationResponse> {
      const url = at(callbackUrl(to, lead_id, event))
      const headersOf = headers ?? (signed ? signedHeaders : async () => ({}))
      return callApplication({ url, method, headers: await headersOf(url), allowedHosts })
    },
    /** Returns the events that the application counted for a lead; undefined if they cannot be seen. */
    async events(lead_id: string): Promise<string | undefined> {
      if (eventsCommand === undefined || submitCommand === undefined) return undefined
      return (await runCommand({ command: eventsCommand, environment: { LEAD_ID: lead_id }, timeoutMs })).stdout
    },
    /** Returns the events that the application counted for a lead, once they satisfy the predicate or time is up. */
    eventsOnce: (lead_id: string, satisfies: (events: string) => boolean): Promise<string | undefined> =>
      poll(
        () => round.events(lead_id),
        events => events === undefined || satisfies(events),
        settleMs,
      ),
  }
  return round
}

/** The responses that reached the application, oldest first; an empty one if it was lost or is not JSON. */
export function responsesOf({ calls }: Submission): Partial<LeadResponse>[] {
  return calls.map(({ response }) => (response && !response.broken && objectIn(response.body)) || {})
}

/** The lead that the service made of a submission; undefined if it made none. */
export function leadIdOf(submission: Submission): string | undefined {
  return responsesOf(submission).find(({ lead_id }) => lead_id)?.lead_id ?? undefined
}

function emailOf({ body }: Pick<RecordedCall, 'body'>): string | undefined {
  try {
    const address = JSON.parse(body)?.customer?.contact?.email?.address
    return typeof address === 'string' ? address.toLowerCase() : undefined
  } catch {
    return undefined
  }
}

/** A problem as a sentence; nothing if all is right. */
export type Problem = string | undefined | false

/** Fails with the first problem, else passes with the observation. */
export function judge(seen: string, ...problems: readonly Problem[]): Finding {
  const problem = problems.find(each => each)
  return problem ? failed(problem) : passed(seen)
}

/** Finds that no lead arrived, or one of another customer. */
export function strayed({ calls, email }: Submission): Problem {
  if (calls.length === 0) return 'No lead arrived at the sandbox.'
  const others = calls.filter(call => emailOf(call) !== email).length
  return others > 0 && `${count(others, 'call')} had an email address other than the customer's.`
}

/** Finds that the customer got no response. */
export function crashed({ end: { exitCode, timedOut, ms } }: Submission): Problem {
  if (timedOut) return `The customer got no response within ${seconds(ms)}: the command was killed.`
  return exitCode !== 0 && `The customer got no response: the command exited with code ${exitCode}.`
}

/** Finds that the customer was redirected although the service named no URL. */
export function redirected({ shown }: Submission): Problem {
  if (shown.includes('/_sandbox/advertiser/')) return 'The customer was redirected to an advertiser.'
  const [, value] = /(?:^|[/"'\s])(undefined|null)["']?$/.exec(shown) ?? []
  if (value !== undefined && !/^\s*[{[]/.test(shown)) return `The customer was redirected to "${value}".`
  return undefined
}

/** Finds that the lead was sent too often. */
export function sentMore({ calls }: Submission, most: number): Problem {
  return calls.length > most && `The lead was sent ${count(calls.length, 'time')} (at most ${most} allowed).`
}

/** Finds that the customer was not redirected, or not to exactly that URL. */
export function misdirected({ shown }: Submission, redirect_url: string | null | undefined): Problem {
  if (!redirect_url) return 'The service named no redirect_url.'
  const text = shown.replaceAll('\\/', '/').replaceAll('&amp;', '&')
  const at = text.indexOf(redirect_url)
  if (at < 0) return 'The output of the command does not contain the redirect_url of the response.'
  const next = text.charAt(at + redirect_url.length)
  return /[^\s"'<>\\),;]/.test(next) && 'The customer was redirected to the redirect_url with something added to it.'
}

/** Counts how often a text names an event, by either of its names: `approved` and `loan_issued` are one (Spec 6.1). */
export function eventCount(text: string, event: string): number {
  const names = new Set([canonicalEvent(event), usageEvent(event)])
  return text.split(/[^\w-]+/).filter(word => names.has(word.toLowerCase())).length
}

/** The minimum length of a part of a URL to count as a secret, characters. */
const leastLength = 16

/** A callback URL with another secret in place of its own: a long part of its path or a long query value. */
export function otherSecret(callbackUrl: string): string | undefined {
  const url = new URL(callbackUrl)
  // As they are written: decoded, an escaped one would not be found again.
  const parts = [
    ...url.pathname.split('/').reverse(),
    ...url.search.split(/[?&]/).map(pair => pair.replace(/^[^=]*=/, '')),
  ]
  const secret = parts.find(part => part.length >= leastLength)
  if (secret === undefined) return undefined
  const [before = '', ...after] = `${url.pathname}${url.search}`.split(secret)
  const other = randomBytes(secret.length).toString('hex').slice(0, secret.length)
  return `${url.origin}${before}${other}${after.join(secret)}`
}

export type PublisherCheck = Check<PublisherRound>

/** A check of submissions: its scenario, and the function that judges each. */
export interface SubmissionCase extends Omit<PublisherCheck, 'run'> {
  readonly scenario: ScenarioWord
  /** Several conditions are tried one after the other, each as a new customer. */
  readonly conditions?: readonly SubmitConditions[]
  /** Judges a submission that arrived and whose customer got a response. */
  readonly judge: (submission: Submission, round: PublisherRound) => Finding | Promise<Finding>
}

/** Creates a check of submissions: fails with the first that fails, else returns the finding of the last. */
export function submissionCheck({ scenario, conditions = [{}], judge, ...check }: SubmissionCase): PublisherCheck {
  return {
    ...check,
    run: async round => {
      const unready = await round.unready()
      if (unready !== undefined) return notSeen(unready)
      let finding = notSeen('Nothing was submitted.')
      for (const each of conditions) {
        const submission = await round.submit(scenario, each)
        const problem = strayed(submission) || crashed(submission)
        finding = problem ? failed(problem) : await judge(submission, round)
        if (finding.verdict === 'failed') break
      }
      return finding
    },
  }
}

/** Creates a check of received callbacks; `counts` if it needs the events that the application counted. */
export function callbackCheck({
  counts = false,
  ...check
}: PublisherCheck & { readonly counts?: boolean }): PublisherCheck {
  return {
    ...check,
    run: async round => {
      const { callbackUrl, eventsCommand } = round.application
      if (callbackUrl === undefined) return notSeen(howToSee.callbackUrl)
      const unready = counts ? await round.unready() : undefined
      if (unready !== undefined) return notSeen(unready)
      if (counts && eventsCommand === undefined) return notSeen(howToSee.eventsCommand)
      return check.run(round)
    },
  }
}
