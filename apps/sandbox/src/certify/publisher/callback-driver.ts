import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  callbackSignatureHeaders,
  callbackUrl,
  canonicalEvent,
  convertedStatus,
  usageEvent,
} from '@lead-distribution/contract'
import { type ApplicationResponse, callApplication, runCommand } from '../application-driver.ts'
import type { CertifySandbox, SandboxControl, SentCallback } from '../certify-sandbox.ts'
import { leadIdOf, type PublisherApplication, type Submission } from './application.ts'

/** How long the application may take until it shows what it answered 2xx to, milliseconds: it may do so from a queue. */
const settleMs = 3_000
/** How long a callback may take until it was tried, milliseconds: the time-out of one try and a little more. */
const tryMs = 12_000
const stepMs = 50

/** How the checks of callbacks reach the application. */
export interface CallbackDriver {
  /** A fresh lead of the application; one of the sandbox, which it does not know, where it can submit none. */
  lead(): Promise<string>
  /** A lead that the service has and the application does not know. */
  unknownLead(): Promise<string>
  /** The simulated advertiser reports an event; returns the lead's callbacks once each was tried. */
  report(lead_id: string, event: string): Promise<readonly SentCallback[]>
  /** The lead's callbacks once each was tried. */
  tried(lead_id: string): Promise<readonly SentCallback[]>
  /** Sends a callback past the sandbox: the one that it would send, except for what is changed. */
  send(callback: HandmadeCallback): Promise<ApplicationResponse>
  /** What the application counts for a lead; undefined where that cannot be seen. */
  events(lead_id: string): Promise<string | undefined>
  /** What the application counts for a lead, once that satisfies, or once it had time enough. */
  eventsOnce(lead_id: string, satisfies: (events: string) => boolean): Promise<string | undefined>
}

/** A callback that is made by hand. */
export interface HandmadeCallback {
  readonly lead_id: string
  readonly event: string
  readonly method?: string
  /** Changes the address. */
  readonly at?: (url: string) => string
  /** The headers where those of the sandbox's own signature are not wanted. */
  readonly headers?: (url: string) => Promise<Readonly<Record<string, string>>>
}

/** Makes the part of a round that sends callbacks. `submit` returns nothing where the application submits no lead. */
export function createCallbackDriver(
  account: CertifySandbox['account'],
  control: SandboxControl,
  application: PublisherApplication,
  submit: () => Promise<Submission | undefined>,
): CallbackDriver {
  async function tried(lead_id: string): Promise<readonly SentCallback[]> {
    const end = performance.now() + tryMs
    while (true) {
      const callbacks = await control.callbacks(lead_id)
      if (callbacks.every(({ state }) => state !== 'pending') || performance.now() > end) return callbacks
      await sleep(stepMs)
    }
  }

  const driver: CallbackDriver = {
    async lead() {
      const submission = await submit()
      return (submission && leadIdOf(submission)) ?? driver.unknownLead()
    },
    unknownLead: async () => (await control.submitTestLead()).lead_id,
    async report(lead_id, event) {
      await control.trigger(lead_id, event, event === convertedStatus ? 'body' : 'pixel')
      return tried(lead_id)
    },
    tried,
    async send({ lead_id, event, method = 'GET', at = url => url, headers }) {
      const url = at(callbackUrl(application.callbackUrl ?? '', lead_id, event))
      const headersOf = headers ?? (application.signed ? signedHeaders : async () => ({}))
      return callApplication({ url, method, headers: await headersOf(url), allowedHosts: application.allowedHosts })
    },
    async events(lead_id) {
      if (application.eventsCommand === undefined || application.submitCommand === undefined) return undefined
      const { stdout } = await runCommand({
        command: application.eventsCommand,
        environment: { LEAD_ID: lead_id },
        timeoutMs: application.commandTimeoutMs,
      })
      return stdout
    },
    async eventsOnce(lead_id, satisfies) {
      const end = performance.now() + settleMs
      while (true) {
        const events = await driver.events(lead_id)
        if (events === undefined || satisfies(events) || performance.now() > end) return events
        await sleep(stepMs)
      }
    },
  }

  function signedHeaders(url: string): Promise<Record<string, string>> {
    const secret = account().publisher.callback_secret
    return callbackSignatureHeaders({ secret, id: randomUUID(), at: Date.now(), url })
  }
  return driver
}

/** How often a text names an event, by either of its names: `approved` and `loan_issued` are one (Spec 6.1). */
export function eventCount(text: string, event: string): number {
  const names = new Set([canonicalEvent(event), usageEvent(event)])
  return text.split(/[^\w-]+/).filter(word => names.has(word.toLowerCase())).length
}

/** How long a part of a URL must be to pass for a secret, characters. */
const leastLength = 16

/**
 * A callback URL with another secret instead of its real one: the last part of its path, or else a value of its query,
 * that is long enough for one. Undefined where nothing in it is.
 */
export function otherSecret(callbackUrl: string): string | undefined {
  const { pathname, searchParams } = new URL(callbackUrl)
  const parts = [...pathname.split('/').reverse(), ...searchParams.values()]
  const secret = parts.find(part => part.length >= leastLength)
  return secret && callbackUrl.replace(secret, randomBytes(secret.length).toString('hex').slice(0, secret.length))
}
