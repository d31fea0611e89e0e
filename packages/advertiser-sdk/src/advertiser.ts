import type { StatusMetadata } from '@lead-distribution/contract'
import {
  type CallOptions,
  type ClientOptions,
  ConfigError,
  changedOptions,
  createHttpClient,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  type SharedOptions,
} from '@lead-distribution/sdk-core'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { reportBody } from './check-report.ts'
import { checkPostback, type Postback, PostbackUrl, postbackText } from './postback-url.ts'
import { type EventResult, readEvent, readStatus, type StatusResult } from './report-result.ts'
import { eventsOf, type StatusOf, statusesOf, type Vocabulary, vocabularies } from './vocabulary.ts'

/** The method of a status report: the specification names both. `auto` is POST, and PATCH where POST does not exist. */
export type StatusMethod = 'POST' | 'PATCH' | 'auto'

const statusMethods: readonly StatusMethod[] = ['POST', 'PATCH', 'auto']

/** What {@link createAdvertiser} takes. */
export type AdvertiserOptions<Names extends Vocabulary> = ClientOptions & {
  /** Which list of event names the client speaks. Default `enum`: the names of the pixel's enumeration. */ // Spec 4.3
  vocabulary?: Names | undefined
  /** The method of status reports. Default `auto`; which one it came to is remembered. */
  method?: StatusMethod | undefined
}

/** What `withOptions` of an {@link Advertiser} takes: every option but the service's address and the vocabulary. */
export type AdvertiserChanges = SharedOptions & Pick<AdvertiserOptions<Vocabulary>, 'method'>

/** The content of a status report. */ // Spec 4.2
export interface StatusReport<Names extends Vocabulary> {
  /** What happened to the lead. */
  status: StatusOf<Names>
  /** The advertiser that reports, a UUID; the API key's own. */
  advertiser_id?: string | undefined
  /** Figures of the loan: `amount`, euros; `term_months`, whole months. */
  metadata?: { [Figure in keyof StatusMetadata]: StatusMetadata[Figure] | undefined } | undefined
}

/** What one status report takes. */
export interface ReportOptions extends CallOptions {
  /** The method of this report; the client's otherwise. */
  method?: StatusMethod | undefined
  /**
   * Whether a report is sent again when its reply was lost. It may then be recorded twice, which costs at most
   * a second notification. Default true.
   */
  retryUnknownOutcome?: boolean | undefined
}

const knownChanges = { ...knownInChanges, method: 1 } satisfies Known<AdvertiserChanges>
const knownOptions = { ...knownChanges, ...knownInAddress, vocabulary: 1 } satisfies Known<
  AdvertiserOptions<Vocabulary>
>
const knownInReport = { ...knownInCalls, method: 1, retryUnknownOutcome: 1 } satisfies Known<ReportOptions>

/** An advertiser's client. */
export interface Advertiser<Names extends Vocabulary = 'enum'> {
  /**
   * Reports a lead's status by a JSON call, with the API key.
   * @throws ValidationError the report fails the check; nothing was sent.
   * @throws ConfigError there is no key, it is a sandbox key for production, or a field or an option is unknown; nothing
   * was sent.
   * @throws NotSentError no connection came about: it is safe to report again.
   * @throws OutcomeUnknownError the reply was lost, and `retryUnknownOutcome` is false: the report may be recorded.
   * @throws AuthError the service refuses the key (`401`, `403`).
   * @throws BadRequestError the service refuses the report; `404` means no such lead of this advertiser.
   * @throws RateLimitError the service asks to slow down (`429`), and the retries are used up.
   * @throws ServerError the service fails (`5xx`), and the retries are used up.
   * @throws AbortedError your `signal` ended the call.
   * @throws ProtocolError the reply is none of this service: check the base URL.
   */ // Spec 4.2
  reportStatus(lead_id: string, report: StatusReport<Names>, options?: ReportOptions): Promise<StatusResult>
  /**
   * Fires a postback URL, with its token and without the API key. A repeat is `ignored`.
   * @throws ConfigError the URL is of another service, or carries another event already, or a field or an option is unknown;
   * nothing was sent.
   * @throws ValidationError the event is none of these, or `ref` is too long; nothing was sent.
   * @throws NotSentError no connection came about: it is safe to fire again.
   * @throws OutcomeUnknownError the reply was lost after every retry: fire again, a repeat is `ignored`.
   * @throws AuthError the service refuses the token (`401`, `403`).
   * @throws BadRequestError the service refuses the request (another `4xx`).
   * @throws RateLimitError the service asks to slow down (`429`), and the retries are used up.
   * @throws ServerError the service fails (`5xx`), and the retries are used up.
   * @throws AbortedError your `signal` ended the call.
   * @throws ProtocolError the reply is none of this service: check the base URL.
   */ // Spec 4.3
  fire(url: PostbackUrl, postback: Postback<Names>, options?: CallOptions): Promise<EventResult>
  /**
   * `PostbackUrl.parse` with the client's own base address.
   * @throws ConfigError the text is no postback URL, or one of another service.
   */
  parsePostbackUrl(raw: string): PostbackUrl
  /**
   * A client with other options: those given here replace the client's own, `headers` name by name. This one stays as
   * it is.
   * @throws ConfigError the options contradict each other, or one is unknown or has no sensible value.
   */
  withOptions(changes: AdvertiserChanges): Advertiser<Names>
}

/**
 * An advertiser's client. Nothing is sent, and no key is read, before the first call.
 * @throws ConfigError the options contradict each other, one is unknown, or it runs in a browser.
 * @example
 * ```ts
 * import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
 *
 * const advertiser = createAdvertiser({ tenant: 'acme', serviceDomain: 'leads.example' }) // LEAD_ADVERTISER_API_KEY
 * await advertiser.reportStatus(lead_id, { status: 'approved', metadata: { amount: 5000, term_months: 24 } })
 * await advertiser.fire(advertiser.parsePostbackUrl(postbackUrl), { event: 'completed', ref: 'loan-4711' })
 * ```
 */
export function createAdvertiser<const Names extends Vocabulary = 'enum'>(
  given: AdvertiserOptions<Names>,
): Advertiser<Names> {
  checkOptions('`createAdvertiser`', given, knownOptions)
  const options = { ...given }
  const client = createHttpClient(options, 'LEAD_ADVERTISER_API_KEY')
  const { baseUrl } = client
  const vocabulary: Vocabulary = options.vocabulary ?? 'enum'
  oneOf('vocabulary', vocabulary, vocabularies)
  const usualMethod = oneOf('method', options.method ?? 'auto', statusMethods)
  let known = 'POST'
  // Not frozen, so that tests can spy on it.
  return {
    parsePostbackUrl: (raw: string) => PostbackUrl.parse(raw, { baseUrl }),
    withOptions(changes: AdvertiserChanges) {
      checkOptions('`withOptions`', changes, knownChanges)
      return createAdvertiser(changedOptions(options, changes))
    },

    async reportStatus(lead_id: string, report: StatusReport<Names>, reportOptions: ReportOptions = {}) {
      checkOptions('`reportStatus`', reportOptions, knownInReport)
      const body = reportBody(lead_id, report, statusesOf(vocabulary))
      const { method: ownMethod, retryUnknownOutcome = true } = reportOptions ?? {}
      const method = oneOf('method', ownMethod ?? usualMethod, statusMethods)
      if (typeof retryUnknownOutcome !== 'boolean')
        throw new ConfigError('`retryUnknownOutcome` must be true or false.')
      const answered = await client.call({
        name: 'reportStatus',
        ...(method === 'auto' ? { method: known, nextMethod: known === 'POST' ? 'PATCH' : 'POST' } : { method }),
        // Remembered as soon as the other is refused, however the report ends.
        onNextMethod: next => {
          known = next
        },
        to: { path: `/lead/${lead_id}/status` },
        body,
        withKey: true,
        alsoCheck: status => (status === 405 ? ', and `method`' : ', and that the lead is yours'),
        retryUnknownOutcome,
        options: reportOptions,
      })
      return readStatus(answered, lead_id)
    },

    async fire(url: PostbackUrl, postback: Postback<Names>, callOptions: CallOptions = {}) {
      checkOptions('`fire`', callOptions, knownInCalls)
      const text = postbackText(url, postback, eventsOf(vocabulary))
      // Checked again: it may have been made for another base address, and a token goes only to its own service.
      checkPostback(text, baseUrl)
      const answered = await client.call({
        name: 'reportEvent',
        method: 'GET',
        to: { url: text },
        withKey: false,
        credential: 'token of the postback URL: use the URL as it was delivered with the lead',
        options: callOptions,
      })
      return readEvent(answered, url.lead_id)
    },
  }
}

function oneOf<Value extends string>(option: string, value: Value, values: readonly Value[]): Value {
  if (values.includes(value)) return value
  throw new ConfigError(`\`${option}\` must be one of ${values.join(', ')}.`)
}
