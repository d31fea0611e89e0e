import type { LeadSubmission, TokenFormat } from '@lead-distribution/contract'
import type { TestLeads } from '@lead-distribution/contract/test-leads'
import type { Facts } from './facts.ts'

/**
 * The service under test.
 * @category Client
 */
export interface Target {
  /** The facts known in advance about the service. */
  readonly facts: Facts
  /** The time to wait for something that the service sends on its own, such as a callback, in milliseconds. */
  readonly patienceMs: number
  /**
   * Sends a request to a path below the base URL (`/lead`), or to a full URL on the same host. Redirects are not
   * followed.
   * @throws Error if the URL leads to another host. Nothing is sent.
   */
  call(method: string, path: string, options?: CallOptions): Promise<TargetResponse>
  /**
   * Creates a minimal valid body for a new customer.
   * @throws Error if the account's criteria allow no valid loan. The message says which criteria to change.
   */
  submission(changes?: Changes): LeadSubmission
  /**
   * Submits a body with the publisher's key, unless `options` has another.
   * @throws Error if the request would leave the target's host. Nothing is sent.
   */
  submit(body: unknown, options?: CallOptions): Promise<TargetResponse>
  /**
   * Submits a new lead and returns its id. The first advertiser in `facts.advertisers` has the lead.
   * @throws Unclear if the target responds to a valid lead with anything other than `distributed`.
   * @throws Error for the same reasons as {@link Target.submission} and {@link Target.submit}.
   */
  distributedLead(changes?: Changes): Promise<string>
  /**
   * Builds a lead's postback URL, without `event`, in the target's token format.
   * @param advertiser Index of the lead's advertiser in `facts.advertisers`. Default: 0.
   * @throws Unclear if the token format or the secret is unknown.
   * @throws Error if a request that probes the format would leave the target's host. Nothing is sent.
   */
  postbackUrl(lead_id: string, advertiser?: number): Promise<string>
  /** Returns the target's interpretation of an open point, or undefined if it is unknown. Probes at most once. */
  interpretation<P extends Point>(point: P): Promise<InterpretationOf[P] | undefined>
  /** Returns the target's interpretation of an open point and the evidence for it. Probes at most once. */
  finding<P extends Point>(point: P): Promise<Finding<P>>
  /** The test leads for every outcome. Undefined if the account is unknown. */
  readonly testLeads?: TestLeads | undefined
  /** The callbacks that the target sends. Undefined if nothing listens for them. */
  readonly callbacks?: Callbacks | undefined
}

/**
 * A response from the target.
 * @category Client
 */
export interface TargetResponse {
  /** HTTP status. */
  readonly status: number
  /** Response headers. */
  readonly headers: Headers
  /** The body as text. */
  readonly text: string
  /** The parsed body. Undefined if it isn't JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the cases check the content.
  readonly json: any
}

/**
 * The options of a request, besides its method and path.
 * @category Client
 */
export interface CallOptions {
  /** Sent as `apikey`. Default: no key. */
  readonly key?: string | undefined
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Text and bytes are sent unchanged; anything else is sent as JSON with its `content-type`. */
  readonly body?: unknown
}

/**
 * Changes to a body: values by dotted path, with list items by number; `undefined` removes a field.
 * @category Sandbox
 */
export type Changes = Readonly<Record<string, unknown>>

/**
 * The publisher's end of the callbacks.
 * @category Callbacks
 */
export interface Callbacks {
  /** The URL that callbacks go to: the publisher's callback URL at the target. */
  readonly url: string
  /** Returns every delivery attempt for a lead, in order of arrival. */
  of(lead_id: string): readonly ReceivedCallback[]
  /** Resolves with the first attempt for a lead (and event), or with undefined if the patience runs out first. */
  wait(lead_id: string, event?: string): Promise<ReceivedCallback | undefined>
  /** Sets the responses to a lead's next attempts; all later ones get 200. Releases hanging attempts. */
  answer(lead_id: string, answers: readonly CallbackAnswer[]): void
  /** Runs one function at a time, because one hanging callback may block all others. Not reentrant. */
  inTurn<Result>(run: () => Promise<Result>): Promise<Result>
}

/**
 * The listener's response to a callback: a status, or none until the sender hangs up.
 * @category Callbacks
 */
export type CallbackAnswer = number | 'hang'

/**
 * A callback that the publisher received.
 * @category Callbacks
 */
export interface ReceivedCallback {
  /** The time of arrival, in milliseconds since 1970. */
  readonly at: number
  /** The time when the sender hung up without a response, in milliseconds since 1970. Undefined if it hasn't. */
  readonly hungUpAt?: number | undefined
  /** HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Headers by lowercase name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body; a callback should have none. */
  readonly body: string
}

/** Returns a callback's query parameter, or undefined unless it occurs exactly once. */
export function callbackParameter({ target }: ReceivedCallback, name: string): string | undefined {
  const values = new URLSearchParams(target.split('?')[1]).getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/**
 * The possible interpretations of each open point. Durations are ISO 8601.
 * @category Results
 */
export interface InterpretationOf {
  /** The requirement of the customer's gender. */
  gender: 'optional' | 'required'
  /** The requirement of the consent metadata. */
  consent_metadata: 'optional' | 'required'
  /** The response to declined consents and an unknown product. */
  semantic_refusals: 'http_422' | 'rejected_200'
  /** The methods that status updates accept. */
  status_methods: readonly ('POST' | 'PATCH')[]
  /** The names that a status may have. */
  status_vocabulary: 'known' | 'any'
  /** The list from which callbacks take event names. */
  callback_event_names: 'usage' | 'enum' | 'as_reported'
  /** The representation of a field that doesn't apply in a response: omitted, or null. */
  absent_fields: 'omit' | 'null'
  /** `PT0S`: no window. `>= PT3S`: still open when the patience ran out. `PT0.2S..PT0.5S`: between the two. */
  duplicate_window: string
  /** The observed delays; more may follow. */
  callback_retries: readonly string[]
  /** `>= PT3S`: not reached when the patience ran out. */
  callback_timeout: string
  /** The format of a postback URL's token. */
  token_format: TokenFormat
  /** The response to a status update for another advertiser's lead. */
  other_advertiser: `http_${number}`
  /** The number of advertisers that get a lead. */
  distribution: 'first_accept' | 'all_accepting'
  /** The authentication of callbacks. */
  callback_signature: 'none' | 'standard_webhooks'
  /** The handling of letter case in e-mail addresses: ignored, or two customers. */
  email_letter_case: 'ignored' | 'kept_apart'
  /** The effect of a HEAD request to the pixel, such as one from a link preview. */
  pixel_head: 'records' | 'records_nothing'
  /** The largest accepted body, in bytes. `262144..524288`: between the two. `>= 4194304`: at least. */
  body_limit: string
}

/**
 * An open point of the specification.
 * @category Results
 */
export type Point = keyof InterpretationOf

/**
 * The target's interpretation of an open point.
 * @category Results
 */
export interface Finding<P extends Point = Point> {
  /** The open point. */
  readonly point: P
  /** The interpretation. Undefined if it is unknown. */
  readonly interpretation: InterpretationOf[P] | undefined
  /** The evidence, or what is needed to get it, as a sentence. */
  readonly known_by: string
}
