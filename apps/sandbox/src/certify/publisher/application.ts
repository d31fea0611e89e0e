import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LeadResponse } from '@lead-distribution/contract'
import { type ScenarioWord, scenarioAddress } from '@lead-distribution/test-leads'
import { type CommandEnd, runCommand } from '../application-driver.ts'
import type { CertifySandbox, SandboxControl } from '../certify-sandbox.ts'
import type { ChangeResponse, RecordedCall } from '../recorder.ts'

/** How a publisher's application is driven. What is not given is not seen. */
export interface PublisherApplication {
  /** Where it takes callbacks. */
  readonly callbackUrl?: string | undefined
  /** Submits one customer's application, and prints what the customer gets. */
  readonly submitCommand?: string | undefined
  /** Prints the events that it counts for a lead. */
  readonly eventsCommand?: string | undefined
  /** Whether the sandbox signs its callbacks (open point 14). */
  readonly signed: boolean
  /** How long a command may take, milliseconds. */
  readonly commandTimeoutMs: number
  /** Hosts besides this machine that callbacks may go to. */
  readonly allowedHosts: readonly string[]
}

/** What to give so that a check sees what it looks at. */
export const howToSee = {
  submitCommand:
    'Give --submit-command: it submits an application of the customer $LEAD_EMAIL, and prints what the customer gets.',
  eventsCommand: 'Give --events-command: it prints the events that the application counts for the lead $LEAD_ID.',
  callbackUrl: 'Give --callback-url: where the application takes callbacks.',
} as const

/** What a publisher's application is started with, by the names of its variables. Holds its key. */
export function publisherEnvironment(
  { base_url, publisher, products }: ReturnType<CertifySandbox['account']>,
  signed: boolean,
) {
  return {
    LEAD_BASE_URL: base_url,
    LEAD_PUBLISHER_API_KEY: publisher.api_key,
    PUBLISHER_ID: publisher.publisher_id,
    PRODUCT_ID: products.find(({ active }) => active)?.product_id ?? '',
    ...(signed && { CALLBACK_SIGNING_SECRET: publisher.callback_secret }),
  }
}

/** One run of the command that submits an application, and what arrived at the service. */
export interface Submission {
  readonly email: string
  /** The calls that were made for it, oldest first. */
  readonly calls: readonly RecordedCall[]
  /** What the customer gets: what the command printed. */
  readonly shown: string
  readonly end: CommandEnd
}

/** The responses that reached the application, oldest first; an empty one where it was lost or is no JSON. */
export function responsesOf({ calls }: Submission): Partial<LeadResponse>[] {
  return calls.map(({ response }) => {
    try {
      return response?.broken ? {} : JSON.parse(response?.body ?? '')
    } catch {
      return {}
    }
  })
}

/** The lead that the service made of a submission; undefined where it made none. */
export function leadIdOf(submission: Submission): string | undefined {
  return responsesOf(submission).find(({ lead_id }) => lead_id)?.lead_id ?? undefined
}

/** The e-mail address in a call's body; undefined where there is none. */
export function emailOf({ body }: Pick<RecordedCall, 'body'>): string | undefined {
  try {
    const address = JSON.parse(body)?.customer?.contact?.email?.address
    return typeof address === 'string' ? address.toLowerCase() : undefined
  } catch {
    return undefined
  }
}

/** What is done to a submission. */
export interface SubmitConditions {
  /** The effect of a fault of the sandbox, and how often it acts. */
  readonly effect?: Readonly<Record<string, unknown>>
  readonly times?: number
  /** Changes the response of the service. */
  readonly change?: ChangeResponse
  /** Whether to watch for a while after the command has ended: for what the application sends again by itself. */
  readonly watch?: boolean
}

/** How long the application is watched, milliseconds: what it sends again within that, it sends without waiting. */
const watchMs = 1_500

/** Runs the command that submits, each time as another customer, and gathers what arrives for it. */
export function createSubmitter(
  { recorder, account }: CertifySandbox,
  control: SandboxControl,
  application: PublisherApplication,
) {
  const others = new Set<string>()

  return async (scenario: ScenarioWord, conditions: SubmitConditions = {}): Promise<Submission> => {
    const email = scenarioAddress(scenario, `certify-${randomUUID().slice(0, 13)}`)
    const from = recorder.calls.length
    const { effect, times, change, watch = false } = conditions
    const run = async () => {
      const end = await (change ? recorder.changing(change, runOnce) : runOnce())
      if (watch) await sleep(watchMs)
      return end
    }
    const runOnce = () =>
      runCommand({
        command: application.submitCommand ?? '',
        environment: { ...publisherEnvironment(account(), application.signed), LEAD_EMAIL: email },
        timeoutMs: application.commandTimeoutMs,
      })
    const match = { operation: 'submitLead', scenario } as const
    const end = await (effect ? control.withFault({ match, effect, times }, run) : run())
    // What an earlier customer's application sends again now is not this one's.
    const isOurs = (call: RecordedCall) => call.method === 'POST' && !others.has(emailOf(call) ?? '')
    const calls = recorder.calls.slice(from).filter(isOurs)
    others.add(email)
    return { email, calls, shown: end.stdout.trim(), end }
  }
}
