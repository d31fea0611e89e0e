import type { LeadSubmission } from '@lead-distribution/contract'
import type { TestLeads } from '@lead-distribution/test-leads'
import type { Callbacks } from './callbacks.ts'
import type { Facts } from './facts.ts'
import type { Finding, InterpretationOf, Point } from './interpretations/finding.ts'

/** What a case may need to know of the target, or to have of it. */
export type Need =
  | 'advertiser'
  | 'second_advertiser'
  | 'postback_secret'
  | 'second_postback_secret'
  | 'account'
  | 'inactive_product'
  | 'callbacks'

/** A response of the target. */
export interface TargetResponse {
  /** HTTP status. */
  readonly status: number
  /** Headers of the reply. */
  readonly headers: Headers
  /** The body as text. */
  readonly text: string
  /** The parsed body; undefined where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a case looks at what is in it.
  readonly json: any
}

/** What a request carries besides method and path. */
export interface CallOptions {
  /** Sent as `apikey`; without it none is sent. */
  readonly key?: string | undefined
  /** Headers besides those that every call has. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Text and bytes are sent unchanged, anything else as JSON with its `content-type`. */
  readonly body?: unknown
}

/** What is changed of a body: values by their dotted path, lists by number; `undefined` takes a field away. */
export type Changes = Readonly<Record<string, unknown>>

/** The service that is looked at. */
export interface Target {
  /** What is known of the service. */
  readonly facts: Facts
  /** How long to wait for what the service sends by itself, such as a callback, milliseconds. */
  readonly patienceMs: number
  /**
   * Sends a request to a path below the base address (`/lead`), or to a whole URL of its host. Follows no redirect.
   * @throws Error the URL leads to another host: it is not sent.
   */
  call(method: string, path: string, options?: CallOptions): Promise<TargetResponse>
  /**
   * A smallest valid body, of a customer not seen before.
   * @throws Error the account's criteria leave no loan that is valid: the message names what to change.
   */
  submission(changes?: Changes): LeadSubmission
  /**
   * Submits a body with the publisher's key, which `options` may set otherwise.
   * @throws Error the request would leave the host of the target: it is not sent.
   */
  submit(body: unknown, options?: CallOptions): Promise<TargetResponse>
  /**
   * The id of a new lead that an advertiser has, the one that `facts.advertisers` begins with.
   * @throws Unclear the target answers a valid lead with something else.
   * @throws Error as {@link Target.submission} and {@link Target.submit}.
   */
  distributedLead(changes?: Changes): Promise<string>
  /**
   * The postback URL of a lead, `event` not yet in it, by the token format that the target has.
   * @param advertiser Index of its advertiser in `facts.advertisers`; 0 by default.
   * @throws Unclear how the target makes tokens was not found out, or no secret is known.
   * @throws Error a request that looks for it would leave the host of the target: it is not sent.
   */
  postbackUrl(lead_id: string, advertiser?: number): Promise<string>
  /** How the target reads an open point; undefined where it could not be found out. Probed once. */
  interpretation<P extends Point>(point: P): Promise<InterpretationOf[P] | undefined>
  /** How the target reads an open point, and how we know. Probed once. */
  finding<P extends Point>(point: P): Promise<Finding<P>>
  /** Leads for every outcome, where the account is known. */
  readonly testLeads?: TestLeads | undefined
  /** The callbacks that the target sends, where they are listened to. */
  readonly callbacks?: Callbacks | undefined
}

/** A body after its changes; objects and lists on the way that are missing are made. */
export function withChanges(body: LeadSubmission, changes: Changes): LeadSubmission {
  const changed = structuredClone(body)
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const place = names.reduce((parent: object, name, depth) => {
      const isList = /^\d+$/.test(names[depth + 1] ?? last)
      if (Reflect.get(parent, name) === undefined) Reflect.set(parent, name, isList ? [] : {})
      return Reflect.get(parent, name)
    }, changed)
    if (value === undefined) Reflect.deleteProperty(place, last)
    else Reflect.set(place, last, structuredClone(value))
  }
  return changed
}
