import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  callbackSignatureHeaders,
  callbackUrl,
  convertedStatus,
  publisherEnvironment,
} from '@lead-distribution/contract'
import { type ScenarioWord, scenarioAddress } from '@lead-distribution/contract/test-leads'
import type { Callback } from '@lead-distribution/control-client'
import type { HttpResponse } from '@lead-distribution/http'
import { type Check, poll } from '../check.ts'
import { type Application, type ApplicationRequest, runCommand } from '../run-command.ts'
import type { CertificationSandbox, Fault, RecordedRequest } from '../sandbox.ts'
import { emailOf, leadIdOf, responsesOf, type Submission } from './submission.ts'

/** Access to a publisher's application. A check that needs a missing part is not seen. */
export interface PublisherApplication extends Application {
  readonly callbackUrl?: string | undefined
  /** Submits one customer's application, and prints what the customer gets. */
  readonly submitCommand?: string | undefined
  /** Prints the events that it counted for a lead. */
  readonly eventsCommand?: string | undefined
  /** True if the sandbox signs its callbacks (open point 14). */
  readonly signed: boolean
}

/** The inputs of checks: a part of the application, or an accepted lead from it. */
export type PublisherNeed = keyof typeof howToSee

const howToSee = {
  submitCommand:
    "Pass --submit-command: a command that submits an application for $LEAD_EMAIL and prints the customer's page or redirect.",
  eventsCommand:
    'Pass --events-command: a command that prints the events that the application counted for the lead $LEAD_ID.',
  callbackUrl: 'Pass --callback-url: the URL where the application receives callbacks.',
  acceptedLead: 'The service accepted no lead from the application: fix lead.accepted first.',
} as const

export interface SubmitConditions {
  /** The effect of a fault to add, and how often it acts. */
  readonly effect?: Fault['effect']
  readonly times?: number
  /** Replaces or delays the service's response; undefined leaves it unchanged. */
  readonly change?: (response: HttpResponse) => HttpResponse | undefined | Promise<HttpResponse | undefined>
  /** True to keep watching for retries after the command exits. */
  readonly watch?: boolean
}

/** A callback that a check sends itself: the sandbox's callback with changes. */
export interface HandmadeCallback {
  readonly lead_id: string
  readonly event: string
  readonly method?: string
  readonly at?: (url: string) => string
  /** Headers to send instead of the sandbox's signature. */
  readonly headers?: (url: string) => Promise<ApplicationRequest['headers']>
  /** The callback URL. Default: the application's. */
  readonly to?: string
}

/** The time to watch for retries, milliseconds. A retry within it was sent without a pause. */
const watchMs = 1_500
/** The time in which the application must count an event after its 2xx, milliseconds. It may use a queue. */
const settleMs = 3_000
/** The time to wait for a callback's first attempt, milliseconds: slightly longer than the timeout of one attempt. */
const tryMs = 12_000

/** The context that a publisher's checks share in one round: one pass over them under one profile. */
export type PublisherRound = ReturnType<typeof createPublisherRound>

export type PublisherCheck = Check<PublisherRound, PublisherNeed>

export function createPublisherRound(sandbox: CertificationSandbox, application: PublisherApplication) {
  const { recorder, account, tenant } = sandbox
  const { submitCommand, eventsCommand, signed, commandTimeoutMs: timeoutMs } = application
  const earlierCustomers = new Set<string>()
  let first: ReturnType<typeof submitOrdinary> | undefined

  /** Submits as a new customer, with a scenario that forces the outcome, and collects the requests that arrive. */
  async function submit(scenario: ScenarioWord, conditions: SubmitConditions = {}): Promise<Submission> {
    const email = scenarioAddress(scenario, `certify-${randomUUID().slice(0, 13)}`)
    const from = recorder.requests.length
    const { effect, times, change, watch = false } = conditions
    const environment = { ...publisherEnvironment(account(), { signed }), LEAD_EMAIL: email }
    const match = { operation: 'submitLead', scenario } as const
    await using _fault = effect && (await sandbox.addFault({ match, effect, times }))
    using _changed = recorder.override(async (_request, answer) => {
      const response = await answer()
      return (await change?.(response)) ?? response
    })
    const end = await runCommand({ command: submitCommand ?? '', environment, timeoutMs })
    if (watch) await sleep(watchMs)
    // Requests for earlier customers may arrive now, as late retries.
    const isOurs = (request: RecordedRequest) =>
      request.method === 'POST' && !earlierCustomers.has(emailOf(request) ?? '')
    const requests = recorder.requests.slice(from).filter(isOurs)
    earlierCustomers.add(email)
    return { email, requests, shown: end.stdout.trim(), end }
  }

  async function submitOrdinary() {
    const submission = await submit('distributed')
    // The journal shows the outcome under other interpretations.
    const { requests } = await tenant.requests.list({ operation: 'submitLead', limit: 1 })
    const [latest] = submission.requests.length === 0 ? [] : requests
    const warnings = (latest?.warnings ?? []).map(
      each =>
        `${each.switch} is ${each.interpretation} here; with ${each.other_interpretation}, the service would ${each.would}.`,
    )
    return { ...submission, warnings }
  }

  const signedHeaders = (url: string): Promise<Record<string, string>> =>
    callbackSignatureHeaders({ secret: account().publisher.callback_secret, id: randomUUID(), at: Date.now(), url })

  const round = {
    sandbox,
    application,
    submit,
    /** Returns the round's one submission without a fault, with the warnings of other interpretations. */
    ordinary() {
      first ??= submitOrdinary()
      return first
    },
    async missing(need: PublisherNeed): Promise<string | undefined> {
      const has = need === 'acceptedLead' ? await round.submits() : application[need] !== undefined
      return has ? undefined : howToSee[need]
    },
    /** Returns true if the application submits leads that the service accepts. */
    async submits(): Promise<boolean> {
      if (submitCommand === undefined) return false
      return responsesOf(await round.ordinary())[0]?.status !== undefined
    },
    /** Returns a new lead from the application, or if it cannot submit, a lead that it does not know. */
    async lead(): Promise<string> {
      const submission = (await round.submits()) ? await submit('distributed') : undefined
      return (submission && leadIdOf(submission)) ?? round.unknownLead()
    },
    /** Returns a lead that exists in the service but that the application does not know. */
    unknownLead: async (): Promise<string> => (await sandbox.submitTestLead()).lead_id,
    /** Makes the simulated advertiser report an event; returns the lead's callbacks after the first attempt of each. */
    async report(lead_id: string, event: string): Promise<readonly Callback[]> {
      await tenant.leads.trigger(lead_id, { event, via: event === convertedStatus ? 'body' : 'pixel' })
      return round.tried(lead_id)
    },
    /** Returns the lead's callbacks after the first attempt of each. */
    tried: (lead_id: string): Promise<readonly Callback[]> =>
      poll(
        async () => (await tenant.callbacks.list({ leadId: lead_id })).callbacks,
        callbacks => callbacks.every(({ state }) => state !== 'pending'),
        tryMs,
      ),
    /** Sends a callback directly. Resolves to the status of the response; 0 if there is none. */
    async send({
      lead_id,
      event,
      method = 'GET',
      at = url => url,
      headers = signed ? signedHeaders : async () => ({}),
      to = application.callbackUrl ?? '',
    }: HandmadeCallback): Promise<number> {
      const url = at(callbackUrl(to, lead_id, event))
      return application.call({ url, method, headers: (await headers(url)) ?? {} })
    },
    /** Returns the events that the application counted for a lead; undefined if they are not visible. */
    async events(lead_id: string): Promise<string | undefined> {
      if (eventsCommand === undefined || submitCommand === undefined) return undefined
      return (await runCommand({ command: eventsCommand, environment: { LEAD_ID: lead_id }, timeoutMs })).stdout
    },
    /**
     * Returns the events that the application counted for a lead, once they satisfy the predicate or the time is up.
     */
    eventsOnce: (lead_id: string, satisfies: (events: string) => boolean): Promise<string | undefined> =>
      poll(
        () => round.events(lead_id),
        events => events === undefined || satisfies(events),
        settleMs,
      ),
  }
  return round
}
