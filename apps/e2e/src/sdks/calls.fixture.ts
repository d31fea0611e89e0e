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

/** The options of a call in the table: its client's, and its own. */
interface Made {
  readonly client: ClientOptions & { readonly baseUrl: string }
  readonly options?: SubmitOptions
}

/** A call of either SDK. */
export interface SdkCall {
  /** A successful response. */
  readonly fine: object
  /** A repeat does harm, so a lost reply is an unknown outcome at once, and returned. */
  readonly once: boolean
  make(call: Made): Promise<{ outcome: string; meta: SubmitResult['meta'] | StatusResult['meta'] }>
}

/** The SDKs' three calls. */
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

/** A client's options in these tests: the injected key and an event listener. It never waits. */
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

/** Returns a call's error, either thrown or in the outcome `unknown`. */
export async function errorOf(call: Promise<unknown>): Promise<LeadSdkError> {
  return await call.then(
    result => Object(result).error ?? expect.unreachable('The call did not fail.'),
    error => error,
  )
}
