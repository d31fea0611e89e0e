import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ScenarioWord, scenarioAddress } from '@lead-distribution/test-leads'
import type { CertifySandbox } from '../certify-sandbox.ts'
import { runCommand } from '../run-command.ts'
import type { ChangeReply, TappedCall } from '../wire-tap.ts'
import { publisherEnvironment } from './environment.ts'
import type { PublisherApplication } from './publisher-application.ts'
import { emailOf, type Submission } from './submission.ts'

/** How a submission is disturbed. */
export interface SubmitOrder {
  /** The effect of a fault of the sandbox, and how often it acts. */
  readonly effect?: Readonly<Record<string, unknown>>
  readonly times?: number
  /** Makes another reply of the service's own. */
  readonly change?: ChangeReply
  /** Whether to look on for a while when the command has ended: for what the application sends again by itself. */
  readonly lookOn?: boolean
}

/** How long is looked on, milliseconds: what comes again within it was sent without waiting. */
const lookOnMs = 1_500

/** Runs the command that submits, each time as another customer, and gathers what arrives for it. */
export function createSubmitter({ tap, session, account }: CertifySandbox, application: PublisherApplication) {
  const others = new Set<string>()

  return async (word: ScenarioWord, order: SubmitOrder = {}): Promise<Submission> => {
    const email = scenarioAddress(word, `certify-${randomUUID().slice(0, 13)}`)
    const from = tap.calls.length
    const { effect, times, change, lookOn = false } = order
    if (effect) {
      const fault = { match: { operation: 'submitLead', scenario: word }, effect, times }
      await session.ask<'addFault'>('POST', ['faults'], { body: fault })
    }
    const run = () =>
      runCommand({
        command: application.submitCommand ?? '',
        environment: { ...publisherEnvironment(account(), application.signed), LEAD_EMAIL: email },
        timeoutMs: application.commandTimeoutMs,
      })
    const end = await (change ? tap.changing(change, run) : run())
    if (lookOn) await sleep(lookOnMs)
    if (effect) await session.ask<'clearFaults'>('DELETE', ['faults'])
    // What an earlier customer's application sends again now is not this one's.
    const isOurs = (call: TappedCall) => call.method === 'POST' && !others.has(emailOf(call) ?? '')
    const calls = tap.calls.slice(from).filter(isOurs)
    others.add(email)
    return { email, calls, shown: end.stdout.trim(), end }
  }
}
