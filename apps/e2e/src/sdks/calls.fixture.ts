import { createAdvertiser, type StatusResult } from '@lead-distribution/advertiser-sdk'
import {
  type CallEvent,
  type ClientOptions,
  createPublisher,
  type LeadSdkError,
  type SubmitOptions,
  type SubmitResult,
} from '@lead-distribution/publisher-sdk'
import { expect, onTestFinished, vi } from 'vitest'
import { injected, lead, lead_id } from './injected.fixture.ts'

/** How a call of the table is made: with options of its client, and its own. */
interface Made {
  readonly client: ClientOptions & { readonly baseUrl: string }
  readonly options?: SubmitOptions
}

/** A call of either SDK. */
export interface SdkCall {
  /** A reply that is its success. */
  readonly fine: object
  /** A repeat does harm, so the outcome of a lost reply is unknown at once, and returned. */
  readonly once: boolean
  make(call: Made): Promise<{ outcome: string; meta: SubmitResult['meta'] | StatusResult['meta'] }>
}

/** The three calls that the SDKs make. */
export const calls = {
  submit: {
    fine: { lead_id, status: 'new' },
    once: true,
    make: ({ client, options }) => createPublisher(client).submit(lead, options),
  },
  reportStatus: {
    fine: { lead_id, status: 'approved' },
    once: false,
    make: ({ client, options }) =>
      createAdvertiser({ ...client, method: 'POST' }).reportStatus(lead_id, { status: 'approved' }, options),
  },
  fire: {
    fine: { lead_id, event: 'approved', status: 'received' },
    once: false,
    async make({ client, options }) {
      const advertiser = createAdvertiser(client)
      const url = advertiser.parsePostbackUrl(`${client.baseUrl}/lead/${lead_id}/status?token=${injected.token}`)
      return await advertiser.fire(url, { event: 'approved', ref: injected.ref }, options)
    },
  },
} as const satisfies Record<string, SdkCall>

/** The name of a call. */
export type CallName = keyof typeof calls

/** Their names, for `it.each`. */
export const callNames = Object.keys(calls) as CallName[]

/** The options of a client in these tests: the injected key and a listener for its events. It waits for nothing. */
export function clientOf(baseUrl: string, more: ClientOptions = {}) {
  const events: CallEvent[] = []
  // The waits before retries are random.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
  const client: ClientOptions & { baseUrl: string } = {
    baseUrl,
    apiKey: injected.key,
    onEvent: (event: CallEvent) => events.push(event),
    ...more,
  }
  return { client, events, steps: () => events.map(({ type, attempt }) => `${type} ${attempt}`) }
}

/** The error that a call ends with: thrown, or that of the outcome `unknown`. */
export async function errorOf(call: Promise<unknown>): Promise<LeadSdkError> {
  return await call.then(
    result => Object(result).error ?? expect.unreachable('The call did not fail.'),
    error => error,
  )
}
