import { basePath, keyHeader } from '@lead-distribution/contract'
import type { ScenarioWord } from '@lead-distribution/contract/test-leads'
import type { HttpResponse } from '@lead-distribution/http'
import { type Check, count, type Finding, failed, notSeen, passed, seconds } from '../check.ts'
import {
  howToSee,
  judge,
  misdirected,
  type PublisherCheck,
  type PublisherRound,
  redirected,
  responsesOf,
  type Submission,
  type SubmissionCase,
  type SubmitConditions,
  sentMore,
  strayed,
  submissionCheck,
} from './round.ts'

export const leadChecks: readonly PublisherCheck[] = [
  {
    id: 'lead.accepted',
    spec: '4.1',
    expected: 'The service accepts a lead from the application.',
    fix: 'Correct each field that the response names. Use the base URL, key and ids that `lead-sandbox env publisher` prints, and $LEAD_EMAIL as the email address (URL-encode its plus sign in a form: curl --data-urlencode).',
    run: onOrdinary(submission => judge('The service accepted the lead.', strayed(submission), refused(submission))),
  },
  {
    id: 'lead.portable',
    spec: '2.3, 2.9',
    expected: 'The lead is accepted under either interpretation of the specification.',
    fix: 'Always send `gender` and `consents.metadata`: every interpretation accepts them.',
    run: onOrdinary(({ calls, warnings }) =>
      judge(
        'Both interpretations accept the lead.',
        calls.length === 0 && 'No lead arrived at the sandbox.',
        warnings[0],
      ),
    ),
  },
  {
    id: 'key.header',
    spec: '5',
    expected: `The key is sent in the \`${keyHeader}\` header, never in a URL.`,
    fix: `Set the \`${keyHeader}\` header on each call, and remove the key from path and query: URLs end up in logs.`,
    run: async round => {
      const unready = round.application.submitCommand === undefined && howToSee.submitCommand
      if (unready) return notSeen(unready)
      await round.ordinary()
      const calls = round.sandbox.recorder.calls.filter(({ target }) => target.startsWith(basePath))
      const { api_key } = round.sandbox.account().publisher
      const inUrl = calls.filter(({ target }) => decoded(target).includes(api_key)).length
      const without = calls.filter(({ headers }) => headers[keyHeader] === undefined).length
      return judge(
        `The key was only in the header of ${count(calls.length, 'call')}.`,
        calls.length === 0 && 'No call arrived at the sandbox.',
        inUrl > 0 && `The key was in the URL of ${count(inUrl, 'call')}.`,
        without > 0 && `${count(without, 'call')} had no \`${keyHeader}\` header.`,
      )
    },
  },
]

function onOrdinary(
  judgeIt: (submission: Awaited<ReturnType<PublisherRound['ordinary']>>) => ReturnType<typeof judge>,
): Check<PublisherRound>['run'] {
  return async round =>
    round.application.submitCommand === undefined ? notSeen(howToSee.submitCommand) : judgeIt(await round.ordinary())
}

function refused({ calls }: Awaited<ReturnType<PublisherRound['ordinary']>>): string | undefined {
  const response = calls[0]?.response
  if (!response || response.status === 200) return undefined
  const { error = '', details = [] } = JSON.parse(response.body)
  const issues = details.map(({ field, issue }: Record<string, string>) => `${field} ${issue}`)
  return `The service responded with ${response.status} ${[error, ...issues].join('; ')}.`
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

export const redirectChecks: readonly PublisherCheck[] = [
  submissionCheck({
    id: 'redirect.distributed',
    spec: '1, 3',
    expected: 'When a lead is distributed, the customer is redirected to exactly the redirect_url.',
    fix: 'Redirect with a 303 to `redirect_url` as received: no rewriting, no encoding, no additional parameters.',
    scenario: 'distributed',
    judge: submission => {
      const { redirect_url } = responsesOf(submission).find(({ status }) => status === 'distributed') ?? {}
      return judge('The customer was redirected.', misdirected(submission, redirect_url), sentMore(submission, 1))
    },
  }),
  unredirected({
    id: 'redirect.new',
    scenario: 'new',
    expected: 'When a lead is new, the customer is not redirected.',
    fix: 'Check `status` first: `new` has no `redirect_url`. Tell the customer that a decision will follow.',
  }),
  unredirected({
    id: 'redirect.rejected',
    scenario: 'eligibility_failed',
    expected: 'When a lead is rejected (also a 200), the customer is not redirected.',
    fix: 'Check `status`, not the HTTP status: a rejection is a 200 too.',
  }),
  unredirected({
    id: 'redirect.refused-without-lead',
    scenario: 'customer_already_exists',
    expected: 'When a submission is rejected without creating a lead (no lead_id), the customer is not redirected.',
    fix: 'Accept rejections whose `lead_id` is missing or null (Spec 2.12), and show the customer the same page as for any other rejection.',
  }),
  submissionCheck({
    id: 'redirect.scheme',
    spec: '2.12',
    rounds: 'first',
    expected: 'A redirect_url that is not an http or https URL is not followed.',
    fix: 'Redirect only if the URL begins with https:// (or http:// in a sandbox): anything else may be a script.',
    scenario: 'distributed',
    conditions: [{ change: (_, response) => changed(response, { redirect_url: 'javascript:alert(1)' }) }],
    judge: ({ shown }) =>
      /(?:^|["'\s])javascript:/i.test(shown)
        ? failed('The customer was sent to a javascript: address.')
        : passed('The customer was not redirected.'),
  }),
]

function changed(response: HttpResponse, values: object): HttpResponse | undefined {
  if (response.status !== 200) return undefined
  return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...values }) }
}

function unredirected(
  check: Pick<PublisherCheck, 'id' | 'expected' | 'fix'> & { scenario: ScenarioWord },
): PublisherCheck {
  return submissionCheck({
    spec: '1, 3',
    ...check,
    judge: submission => judge('The customer was not redirected.', redirected(submission), sentMore(submission, 1)),
  })
}

/** The maximum number of times a lead may be sent while the service fails. */
const maxSends = 5
const retryAfterSeconds = 1

export const errorChecks: readonly PublisherCheck[] = [
  refusal(400, {
    scenario: 'distributed',
    effect: { status: 400 },
    fix: 'Do not retry: the same lead gets the same response. Show `details` to the customer, or log them.',
  }),
  refusal(401, {
    scenario: 'http_401',
    fix: "Don't retry: the key stays invalid until someone changes it. Keep the application and alert your staff.",
  }),
  refusal(422, {
    scenario: 'http_422',
    fix: "Treat a 422 as a final error: don't retry the lead, and don't treat it as a success.",
  }),
  submissionCheck({
    id: 'error.500',
    spec: '4.1, 7',
    rounds: 'first',
    expected: 'After a 500, the lead is not retried endlessly, and the customer is not redirected.',
    fix: 'Keep the application. The service may have recorded the lead: a second submission is rejected as customer_already_exists.',
    scenario: 'http_500',
    conditions: [{ watch: true }],
    judge: submission => judge(timesSent(submission), sentMore(submission, maxSends), redirected(submission)),
  }),
  submissionCheck({
    id: 'error.503',
    spec: '7',
    rounds: 'first',
    expected: 'After a 503, the lead is retried a few times at most, and not before Retry-After.',
    fix: 'Wait as long as the Retry-After header says, back off with each attempt, and give up after a few.',
    scenario: 'distributed',
    conditions: [{ effect: { status: 503, retry_after: retryAfterSeconds }, watch: true }],
    judge: submission =>
      judge(timesSent(submission), sentMore(submission, maxSends), tooSoon(submission), redirected(submission)),
  }),
]

type Refusal = Pick<SubmissionCase, 'scenario' | 'fix'> & Pick<SubmitConditions, 'effect'>

function refusal(status: number, { effect, ...check }: Refusal): PublisherCheck {
  return submissionCheck({
    id: `error.${status}`,
    spec: '4.1, 7',
    rounds: 'first',
    expected: `After a ${status}, the lead is not sent again, and the customer is not redirected.`,
    ...check,
    conditions: [{ ...(effect && { effect }), watch: true }],
    judge: submission => judge(timesSent(submission), sentMore(submission, 1), redirected(submission)),
  })
}

const timesSent = ({ calls }: Submission) => `The lead was sent ${count(calls.length, 'time')}.`

function tooSoon({ calls }: Submission): string | undefined {
  const gaps = calls.slice(1).map(({ at }, place) => at - (calls[place]?.at ?? 0))
  const shortest = Math.min(...gaps)
  // A tenth less: clocks round.
  return shortest < retryAfterSeconds * 900
    ? `The lead was sent again after ${seconds(shortest)}; Retry-After said ${retryAfterSeconds} s.`
    : undefined
}

/** The limit on sending a lead without a response: a second attempt may find out its state, more are blind. */
const maxSendsWithoutResponse = 2

/** The checks of responses that are late, lost, broken, or of a later version. */
export const replyChecks: readonly PublisherCheck[] = [
  reply({
    id: 'reply.unknown-reason',
    spec: '2.12',
    expected: 'A rejection with an unknown reason is handled as a rejection.',
    fix: 'Accept any text as `rejection_reason`: reasons may be added. Show the customer the same page as for any other rejection.',
    scenario: 'eligibility_failed',
    conditions: [{ change: (_, response) => changed(response, { rejection_reason: 'not_known_yet' }) }],
  }),
  reply({
    id: 'reply.unknown-status',
    spec: '2.12',
    expected: 'A response with an unknown status does not redirect the customer or cause an error.',
    fix: 'Redirect only for `distributed`, and treat an unknown status as `new`: a callback may follow.',
    scenario: 'new',
    conditions: [{ change: (_, response) => changed(response, { status: 'not_known_yet' }) }],
  }),
  reply({
    id: 'reply.slow',
    spec: '8',
    expected: 'A response that takes 3 seconds is awaited, and redirects like any other.',
    fix: 'Wait at least 10 seconds: the service is asking advertisers. If you give up earlier, an advertiser may still have the lead.',
    scenario: 'distributed',
    conditions: [{ effect: { latency_ms: 3_000 } }],
    judge: submission =>
      judge('The application waited.', sentMore(submission, 1), misdirected(submission, redirectUrlOf(submission))),
  }),
  reply({
    id: 'reply.timeout',
    spec: '8',
    expected: 'When no response arrives, the customer does not wait forever, and the lead is not sent in a loop.',
    fix: 'Set a timeout, keep the application with an unknown outcome, and tell the customer that you are checking.',
    scenario: 'timeout',
  }),
  lost({
    id: 'reply.lost',
    expected: 'When the response is lost, the lead is not submitted as a new one, and the customer sees no rejection.',
    conditions: [cut('lost_reply'), cut('reset')],
  }),
  lost({
    id: 'reply.garbled',
    expected: 'A response that is not complete JSON is treated as a lost response.',
    conditions: [cut('malformed')],
  }),
]

function reply(check: Omit<SubmissionCase, 'judge'> & Partial<Pick<SubmissionCase, 'judge'>>): PublisherCheck {
  return submissionCheck({
    rounds: 'first',
    judge: submission =>
      judge('The customer was not redirected.', sentMore(submission, maxSendsWithoutResponse), redirected(submission)),
    ...check,
  })
}

function lost(check: Pick<SubmissionCase, 'id' | 'expected' | 'conditions'>): PublisherCheck {
  return reply({
    ...check,
    spec: '2.4, 2.12',
    fix: 'Keep the application with an unknown outcome. A retry may be rejected as customer_already_exists because of your own lead: wait for its callback, and tell the customer that you are checking.',
    scenario: 'distributed',
    judge: judgeLost,
  })
}

/** The connection is cut after the work or before it: the application cannot know which, and must handle both. */
function cut(effect: 'lost_reply' | 'reset' | 'malformed'): SubmitConditions {
  return { effect: { [effect]: true }, times: 1, watch: true }
}

async function judgeLost(submission: Submission, round: PublisherRound): Promise<Finding> {
  const isRejection = (await rejectionPages(round)).some(isShown => isShown(submission.shown))
  const again = submission.calls.length > 1
  return judge(
    again ? 'The lead was sent twice.' : 'The lead was sent once.',
    isRejection &&
      (again
        ? 'The lead was sent again, and the customer saw the rejection that their own first lead caused.'
        : 'The customer saw the page of a rejection, although the response was lost.'),
    sentMore(submission, maxSendsWithoutResponse),
    !redirectUrlOf(submission) && redirected(submission),
  )
}

function redirectUrlOf(submission: Submission) {
  return responsesOf(submission).find(({ status }) => status === 'distributed')?.redirect_url
}

/** Returns true if a customer's page is one of a rejection. */
type RejectionPage = (shown: string) => boolean

const knownPages = new WeakMap<PublisherRound, Promise<readonly RejectionPage[]>>()

/** Returns what recognizes the application's pages of rejections, in whatever language they are. Seen once a round. */
function rejectionPages(round: PublisherRound): Promise<readonly RejectionPage[]> {
  const pages = knownPages.get(round) ?? seeRejectionPages(round)
  knownPages.set(round, pages)
  return pages
}

async function seeRejectionPages(round: PublisherRound): Promise<readonly RejectionPage[]> {
  const see = async (values: object) => {
    const change: SubmitConditions['change'] = (_, response) =>
      changed(response, { redirect_url: undefined, ...values })
    return wordsOf((await round.submit('distributed', { change })).shown)
  }
  const ofNew = await see({ status: 'new' })
  const rejections = [
    { status: 'rejected', rejection_reason: 'eligibility_failed' },
    { status: 'rejected', rejection_reason: 'customer_already_exists', lead_id: undefined },
  ]
  const pages: RejectionPage[] = []
  for (const rejection of rejections) {
    // Twice: what differs between the two is the customer's own, such as an id.
    const [one, two] = [await see(rejection), await see(rejection)]
    const common = new Set([...one].filter(word => two.has(word)))
    const telling = [...common].filter(word => !ofNew.has(word))
    const mostOwn = Math.max(one.size, two.size) - common.size
    // A page that says more than a rejection does, such as "we are checking", is another one.
    pages.push(shown => {
      const words = wordsOf(shown)
      const own = [...words].filter(word => !common.has(word))
      return telling.length > 0 && telling.every(word => words.has(word)) && own.length <= mostOwn
    })
  }
  return pages
}

/** The words of a page, without those that hold a digit: ids, times, amounts. */
function wordsOf(shown: string): Set<string> {
  return new Set(shown.split(/[^\p{L}\p{M}\p{N}_+-]+/u).filter(word => word !== '' && !/\p{N}/u.test(word)))
}
