import {
  type CallOptions,
  type ClientOptions,
  ConfigError,
  changedOptions,
  createHttpClient,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  type ServiceAddress,
} from '@lead-distribution/sdk-core'
import { checkOptions, copyOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPostback, type Postback, PostbackUrl, postbackText } from './postback-url.ts'
import {
  type EventResult,
  eventNames,
  readEvent,
  readStatus,
  reportBody,
  type StatusReport,
  type StatusResult,
  type Vocabulary,
} from './report.ts'

/** The method of a status report: `auto` is POST, or PATCH if the service doesn't support POST. @inline */
type StatusMethod = 'POST' | 'PATCH' | 'auto'

const statusMethods: readonly StatusMethod[] = ['POST', 'PATCH', 'auto']

/** The options of {@link Advertiser.withOptions}: all but the service's address and the vocabulary. @inline */
type AdvertiserChanges = ClientOptions & {
  /** The method of status reports. Default `auto`, which remembers the method that the service accepted. */
  method?: StatusMethod | undefined
}

/**
 * The options of {@link createAdvertiser}. @interface
 * @category Options
 */
export type AdvertiserOptions<Names extends Vocabulary> = AdvertiserChanges &
  ServiceAddress & {
    /** The vocabulary of event names. Default `enum`: the names from the pixel's enumeration. */ // Spec 4.3
    vocabulary?: Names | undefined
  }

/**
 * The options for one status report.
 * @category Options
 */
export interface ReportOptions extends CallOptions {
  /** The method of this report. Default: the client's. */
  method?: StatusMethod | undefined
  /**
   * Retries a report whose reply was lost. The service may then record it twice; at most, the publisher gets a second
   * notification. Default true.
   */
  retryUnknownOutcome?: boolean | undefined
}

const knownChanges = { ...knownInChanges, method: 1 } satisfies Known<AdvertiserChanges>
const knownOptions = { ...knownChanges, ...knownInAddress, vocabulary: 1 } satisfies Known<
  AdvertiserOptions<Vocabulary>
>
const knownInReport = { ...knownInCalls, method: 1, retryUnknownOutcome: 1 } satisfies Known<ReportOptions>

/**
 * A client for advertisers.
 * @category Client
 */
export interface Advertiser<Names extends Vocabulary = 'enum'> {
  /**
   * Reports a lead's status in a JSON request, with the API key.
   * @throws ValidationError the report is invalid; nothing was sent.
   * @throws ConfigError the key is missing or belongs to another environment, or a field or an option is unknown;
   * nothing was sent.
   * @throws NotSentError no connection was established; it is safe to report again.
   * @throws OutcomeUnknownError the reply was lost and retries are exhausted or off; the report may have been recorded.
   * @throws AuthError the service refused the key (`401`, `403`).
   * @throws BadRequestError the service refused the report; `404` means that this advertiser has no such lead.
   * @throws RateLimitError rate limited (`429`), and retries are exhausted.
   * @throws ServerError the service failed (`5xx`), and retries are exhausted.
   * @throws AbortedError your `signal` aborted the call.
   * @throws ProtocolError the response is not from this service; check the base URL.
   */ // Spec 4.2
  reportStatus(lead_id: string, report: StatusReport<Names>, options?: ReportOptions): Promise<StatusResult>
  /**
   * Fires a postback URL, with its token and without the API key. The service ignores repeats.
   * @throws ConfigError the URL belongs to another service or already has another event, or a field or an option is
   * unknown; nothing was sent.
   * @throws ValidationError the event is not in the vocabulary, or `ref` is too long; nothing was sent.
   * @throws NotSentError no connection was established; it is safe to fire again.
   * @throws OutcomeUnknownError the reply was lost, and retries are exhausted; it is safe to fire again.
   * @throws AuthError the service refused the token (`401`, `403`).
   * @throws BadRequestError the service refused the request (another `4xx`).
   * @throws RateLimitError rate limited (`429`), and retries are exhausted.
   * @throws ServerError the service failed (`5xx`), and retries are exhausted.
   * @throws AbortedError your `signal` aborted the call.
   * @throws ProtocolError the response is not from this service; check the base URL.
   */ // Spec 4.3
  fire(url: PostbackUrl, postback: Postback<Names>, options?: CallOptions): Promise<EventResult>
  /**
   * Parses a postback URL of the service at the client's base URL.
   * @throws ConfigError the text is not a postback URL, or belongs to another service.
   */
  parsePostbackUrl(raw: string): PostbackUrl
  /**
   * Creates a client with changed options; `headers` are merged by name. This client stays unchanged.
   * @throws ConfigError the options contradict each other, or one is unknown or out of range.
   */
  withOptions(changes: AdvertiserChanges): Advertiser<Names>
}

/**
 * Creates a client for advertisers. Options that you leave out are read from the environment variables `LEAD_BASE_URL`
 * and `LEAD_ADVERTISER_API_KEY`. Nothing is sent and no key is read before the first call.
 * @throws ConfigError the options contradict each other, one is unknown or invalid, there is no base URL, or the code
 * runs in a browser.
 * @example
 * ```ts
 * import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
 *
 * const advertiser = createAdvertiser() // LEAD_BASE_URL, LEAD_ADVERTISER_API_KEY
 * await advertiser.reportStatus(lead_id, { status: 'approved', metadata: { amount: 5000, term_months: 24 } })
 * await advertiser.fire(advertiser.parsePostbackUrl(postbackUrl), { event: 'completed', ref: 'loan-4711' })
 * ```
 * @category Client
 */
export function createAdvertiser<const Names extends Vocabulary = 'enum'>(
  options: AdvertiserOptions<Names> = {},
): Advertiser<Names> {
  checkOptions('`createAdvertiser`', options, knownOptions)
  const own = copyOptions(options)
  const client = createHttpClient(own, 'LEAD_ADVERTISER_API_KEY')
  const { baseUrl } = client
  const events = eventNames[oneOf('vocabulary', own.vocabulary ?? 'enum', ['enum', 'usage'])]
  const usualMethod = oneOf('method', own.method ?? 'auto', statusMethods)
  let known = 'POST'
  // Not frozen, so that tests can spy on it.
  return {
    parsePostbackUrl: (raw: string) => PostbackUrl.parse(raw, { baseUrl }),
    withOptions(changes: AdvertiserChanges) {
      checkOptions('`withOptions`', changes, knownChanges)
      return createAdvertiser(changedOptions(own, changes))
    },

    async reportStatus(lead_id: string, report: StatusReport<Names>, reportOptions: ReportOptions = {}) {
      checkOptions('`reportStatus`', reportOptions, knownInReport)
      const body = reportBody(lead_id, report, events)
      const { method: ownMethod, retryUnknownOutcome = true } = reportOptions ?? {}
      const method = oneOf('method', ownMethod ?? usualMethod, statusMethods)
      if (typeof retryUnknownOutcome !== 'boolean')
        throw new ConfigError('`retryUnknownOutcome` must be true or false.')
      const result = await client.call({
        name: 'reportStatus',
        ...(method === 'auto' ? { method: known, nextMethod: known === 'POST' ? 'PATCH' : 'POST' } : { method }),
        // Remembered as soon as the service refuses the other method, even if the report itself fails.
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
      return readStatus(result, lead_id)
    },

    async fire(url: PostbackUrl, postback: Postback<Names>, callOptions: CallOptions = {}) {
      checkOptions('`fire`', callOptions, knownInCalls)
      const text = postbackText(url, postback, events)
      // Checked again, because the URL may have been parsed for another base URL, and a token must only go to its own
      // service.
      checkPostback(text, baseUrl)
      const result = await client.call({
        name: 'reportEvent',
        method: 'GET',
        to: { url: text },
        withKey: false,
        credential: 'token of the postback URL: use the URL exactly as it was delivered with the lead',
        options: callOptions,
      })
      return readEvent(result, url.lead_id)
    },
  }
}

function oneOf<Value extends string>(option: string, value: string, values: readonly Value[]): Value {
  const found = values.find(each => each === value)
  if (found) return found
  throw new ConfigError(`\`${option}\` must be one of ${values.join(', ')}.`)
}
