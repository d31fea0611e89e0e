import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LeadResponse } from '@lead-distribution/contract'
import { callbackSignatureHeaders, callbackUrl, keyHeader } from '@lead-distribution/contract'
import { createTestLeads } from '@lead-distribution/test-leads'
import { send } from '../../cli/connection/send.ts'
import type { Reply } from '../../cli/connection/session.ts'
import { type ApplicationReply, callApplication } from '../call-application.ts'
import type { CertifySandbox } from '../certify-sandbox.ts'
import { runCommand } from '../run-command.ts'
import type { PublisherApplication } from './publisher-application.ts'
import { leadIdOf, type Submission } from './submission.ts'

/** A callback of the sandbox with its tries. */
export type SentCallback = Reply<'showCallback'>

/** How long the application may take until it shows what it answered 2xx to, milliseconds: it may do so from a queue. */
const settleMs = 3_000
/** How long a callback may take until it was tried, milliseconds: the time-out of one try and a little more. */
const tryMs = 12_000
const stepMs = 50

/** How the checks of callbacks reach the application. */
export interface CallbackPlay {
  /** A fresh lead of the application; of ours, which it does not know, where it can submit none. */
  lead(): Promise<string>
  /** A lead that the service has and the application does not know. */
  unknownLead(): Promise<string>
  /** The simulated advertiser reports an event; comes to the lead's callbacks once each was tried. */
  report(lead_id: string, event: string): Promise<readonly SentCallback[]>
  /** The lead's callbacks once each was tried. */
  tried(lead_id: string): Promise<readonly SentCallback[]>
  /** Sends a callback past the sandbox: as it would, but for what is said. */
  send(callback: HandmadeCallback): Promise<ApplicationReply>
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

/** Makes the part of a round that plays callbacks. `submit` comes to nothing where the application submits no lead. */
export function createCallbackPlay(
  { session, account }: CertifySandbox,
  application: PublisherApplication,
  submit: () => Promise<Submission | undefined>,
): CallbackPlay {
  async function tried(lead_id: string): Promise<readonly SentCallback[]> {
    const end = performance.now() + tryMs
    while (true) {
      const { callbacks } = await session.ask<'listCallbacks'>('GET', ['callbacks'], { query: { lead_id } })
      if (callbacks.every(({ state }) => state !== 'pending') || performance.now() > end) return callbacks
      await sleep(stepMs)
    }
  }

  const play: CallbackPlay = {
    async lead() {
      const submission = await submit()
      return (submission && leadIdOf(submission)) ?? play.unknownLead()
    },
    async unknownLead() {
      const { base_url, publisher } = account()
      const body = JSON.stringify(createTestLeads(account()).distributed())
      const headers = { [keyHeader]: publisher.api_key, 'content-type': 'application/json' }
      const reply = await send(new URL(`${base_url}/lead`), { method: 'POST', headers, body })
      return (reply as LeadResponse).lead_id ?? ''
    },
    async report(lead_id, event) {
      const via = event === 'converted' ? 'body' : 'pixel'
      await session.ask<'triggerEvent'>('POST', ['leads', lead_id, 'trigger'], { body: { event, via } })
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
        const events = await play.events(lead_id)
        if (events === undefined || satisfies(events) || performance.now() > end) return events
        await sleep(stepMs)
      }
    },
  }

  function signedHeaders(url: string): Promise<Record<string, string>> {
    return callbackSignatureHeaders({
      secret: account().publisher.callback_secret,
      id: randomUUID(),
      at: Date.now(),
      url,
    })
  }
  return play
}
