import { basePath, keyHeader } from '@lead-distribution/contract'
import type { ScenarioWord } from '@lead-distribution/contract/test-leads'
import { count, type Finding, failed, judge, notSeen } from '../check.ts'
import { isRejectionPage } from './rejection-page.ts'
import type { PublisherCheck, PublisherRound, SubmitConditions } from './round.ts'
import {
  changed,
  crashed,
  misdirected,
  redirected,
  redirectUrlOf,
  type Submission,
  sentMore,
  strayed,
  tooSoon,
} from './submission.ts'

const leadChecks: readonly PublisherCheck[] = [
  {
    id: 'lead.accepted',
    spec: '4.1',
    expected: 'The service accepts a lead from the application.',
    fix: 'Correct each field that the response names. Use the base URL, the key and the ids that `lead-sandbox env publisher` prints, and $LEAD_EMAIL as the email address. In a form, URL-encode its plus sign: curl --data-urlencode.',
    async run(round) {
      const submission = await round.ordinary()
      return judge('The service accepted the lead.', strayed(submission), refused(submission))
    },
  },
  {
    id: 'lead.portable',
    spec: '2.3, 2.9',
    expected: 'The service accepts the lead under either interpretation of the specification.',
    fix: 'Always send `gender` and `consents.metadata`: every interpretation accepts them.',
    async run(round) {
      const { requests, warnings } = await round.ordinary()
      const missing = requests.length === 0 && 'No lead arrived at the sandbox.'
      return judge('Both interpretations accept the lead.', missing, warnings[0])
    },
  },
  {
    id: 'key.header',
    spec: '5',
    expected: `The key is sent in the \`${keyHeader}\` header, never in a URL.`,
    fix: `Set the \`${keyHeader}\` header on each request, and remove the key from the URL: URLs end up in logs.`,
    async run(round) {
      await round.ordinary()
      const requests = round.sandbox.recorder.requests.filter(({ target }) => target.startsWith(basePath))
      const { api_key } = round.sandbox.account().publisher
      const inUrl = requests.filter(({ target }) => decoded(target).includes(api_key)).length
      const without = requests.filter(({ headers }) => headers[keyHeader] === undefined).length
      return judge(
        `The key was only in the header of ${count(requests.length, 'request')}.`,
        requests.length === 0 && 'No request arrived at the sandbox.',
        inUrl > 0 && `The key was in the URL of ${count(inUrl, 'request')}.`,
        without > 0 && `${count(without, 'request')} had no \`${keyHeader}\` header.`,
      )
    },
  },
]

function refused({ requests }: Submission): string | undefined {
  const response = requests[0]?.response
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

/** A check of submissions: a scenario and a function that judges each submission. */
interface SubmissionCase extends Omit<PublisherCheck, 'run'> {
  readonly scenario: ScenarioWord
  /** The conditions to submit under, in order, each as a new customer. Default: one submission without a fault. */
  readonly conditions?: readonly SubmitConditions[]
  /** Judges a submission that arrived, with a response to its customer. */
  readonly judge: (submission: Submission, round: PublisherRound) => Finding | Promise<Finding>
}

/**
 * Creates a check of submissions. It fails with the first submission that fails, else it returns the finding of the
 * last.
 */
function submissionCheck({ scenario, conditions = [{}], judge, ...check }: SubmissionCase): PublisherCheck {
  return {
    ...check,
    needs: ['submitCommand', 'acceptedLead'],
    async run(round) {
      let finding = notSeen('Nothing was submitted.')
      for (const each of conditions) {
        const submission = await round.submit(scenario, each)
        const problem = strayed(submission) || crashed(submission)
        finding = problem ? failed(problem) : await judge(submission, round)
        if (finding.verdict === 'failed') break
      }
      return finding
    },
  }
}

const notRedirected = (submission: Submission) =>
  judge('The customer was not redirected.', redirected(submission), sentMore(submission, 1))

const redirectCases: readonly SubmissionCase[] = [
  {
    id: 'redirect.distributed',
    spec: '1, 3',
    expected: 'When a lead is distributed, the customer is redirected to exactly the redirect_url.',
    fix: 'Redirect with a 303 to `redirect_url` as received: no rewriting, no encoding, no additional parameters.',
    scenario: 'distributed',
    judge: submission =>
      judge(
        'The customer was redirected.',
        misdirected(submission, redirectUrlOf(submission)),
        sentMore(submission, 1),
      ),
  },
  {
    id: 'redirect.new',
    spec: '1, 3',
    expected: 'When a lead is new, the customer is not redirected.',
    fix: 'Check `status` first: a `new` lead has no `redirect_url`. Tell the customer that a decision will follow.',
    scenario: 'new',
    judge: notRedirected,
  },
  {
    id: 'redirect.rejected',
    spec: '1, 3',
    expected: 'When a lead is rejected, also with a 200, the customer is not redirected.',
    fix: 'Check `status`, not the HTTP status: a rejection is also a 200.',
    scenario: 'eligibility_failed',
    judge: notRedirected,
  },
  {
    id: 'redirect.refused-without-lead',
    spec: '1, 3',
    expected: 'When a submission is rejected without creating a lead (no lead_id), the customer is not redirected.',
    fix: 'Accept rejections whose `lead_id` is missing or null (Spec 2.12), and show the customer the same page as for any other rejection.',
    scenario: 'customer_already_exists',
    judge: notRedirected,
  },
  {
    id: 'redirect.scheme',
    spec: '2.12',
    rounds: 'first',
    expected: 'A redirect_url that is not an http or https URL is not followed.',
    fix: 'Redirect only if the URL begins with https:// (or http:// in a sandbox): anything else may be a script.',
    scenario: 'distributed',
    conditions: [{ change: changed({ redirect_url: 'javascript:alert(1)' }) }],
    judge: ({ shown }) =>
      judge(
        'The customer was not redirected.',
        /(?:^|["'\s])javascript:/i.test(shown) && 'The customer was redirected to a javascript: URL.',
      ),
  },
]

/** The maximum number of times that a lead may be sent while the service fails. */
const maxSends = 5
const retryAfter = 1

/** Judges how often and how soon a submission was sent again, and that its customer was not redirected. */
const sentAtMost =
  (most: number, pauseSeconds = 0) =>
  (submission: Submission) =>
    judge(
      `The lead was sent ${count(submission.requests.length, 'time')}.`,
      sentMore(submission, most),
      tooSoon(submission, pauseSeconds),
      redirected(submission),
    )

const errorCases: readonly SubmissionCase[] = [
  {
    id: 'error.400',
    spec: '4.1, 7',
    expected: 'After a 400, the lead is not sent again, and the customer is not redirected.',
    fix: "Don't retry: the same lead gets the same response. Show `details` to the customer, or log them.",
    scenario: 'distributed',
    conditions: [{ effect: { status: 400 }, watch: true }],
    judge: sentAtMost(1),
  },
  {
    id: 'error.401',
    spec: '4.1, 7',
    expected: 'After a 401, the lead is not sent again, and the customer is not redirected.',
    fix: "Don't retry: the key stays invalid until someone changes it. Keep the application and alert your staff.",
    scenario: 'http_401',
    conditions: [{ watch: true }],
    judge: sentAtMost(1),
  },
  {
    id: 'error.422',
    spec: '4.1, 7',
    expected: 'After a 422, the lead is not sent again, and the customer is not redirected.',
    fix: "Treat a 422 as a final error: don't retry the lead, and don't treat it as a success.",
    scenario: 'http_422',
    conditions: [{ watch: true }],
    judge: sentAtMost(1),
  },
  {
    id: 'error.500',
    spec: '4.1, 7',
    expected: 'After a 500, the lead is not retried endlessly, and the customer is not redirected.',
    fix: 'Keep the application. The service may have recorded the lead: then a second submission is rejected as customer_already_exists.',
    scenario: 'http_500',
    conditions: [{ watch: true }],
    judge: sentAtMost(maxSends),
  },
  {
    id: 'error.503',
    spec: '7',
    expected: 'After a 503, the lead is retried a few times at most, and not before the Retry-After time.',
    fix: 'Wait as long as the Retry-After header says, back off more with each attempt, and give up after a few attempts.',
    scenario: 'distributed',
    conditions: [{ effect: { status: 503, retry_after: retryAfter }, watch: true }],
    judge: sentAtMost(maxSends, retryAfter),
  },
]

/**
 * The maximum number of times that a lead may be sent without a response. A second attempt may reveal its state; more
 * are blind.
 */
const maxSendsWithoutResponse = 2

const neitherRedirectedNorLooped = (submission: Submission) =>
  judge('The customer was not redirected.', sentMore(submission, maxSendsWithoutResponse), redirected(submission))

const whereLost = {
  spec: '2.4, 2.12',
  fix: 'Keep the application with an unknown outcome. A retry may be rejected as customer_already_exists because of your own lead: wait for its callback, and tell the customer that you are checking.',
  scenario: 'distributed',
  judge: judgeLost,
} as const

/** Responses that are late, lost, broken or from a later version. */
const replyCases: readonly SubmissionCase[] = [
  {
    id: 'reply.unknown-reason',
    spec: '2.12',
    expected: 'A rejection with an unknown reason is handled as a rejection.',
    fix: 'Accept any string as `rejection_reason`: reasons may be added. Show the customer the same page as for any other rejection.',
    scenario: 'eligibility_failed',
    conditions: [{ change: changed({ rejection_reason: 'not_known_yet' }) }],
    judge: neitherRedirectedNorLooped,
  },
  {
    id: 'reply.unknown-status',
    spec: '2.12',
    expected: 'A response with an unknown status does not redirect the customer or cause an error.',
    fix: 'Redirect only for `distributed`, and treat an unknown status as `new`: a callback may follow.',
    scenario: 'new',
    conditions: [{ change: changed({ status: 'not_known_yet' }) }],
    judge: neitherRedirectedNorLooped,
  },
  {
    id: 'reply.slow',
    spec: '8',
    expected: 'The application waits for a response that takes 3 seconds, and redirects as usual.',
    fix: 'Wait at least 10 seconds: the service is offering the lead to advertisers. If you give up earlier, an advertiser may already have it.',
    scenario: 'distributed',
    conditions: [{ effect: { latency_ms: 3_000 } }],
    judge: submission =>
      judge('The application waited.', sentMore(submission, 1), misdirected(submission, redirectUrlOf(submission))),
  },
  {
    id: 'reply.timeout',
    spec: '8',
    expected: 'When no response arrives, the customer does not wait forever, and the lead is not sent in a loop.',
    fix: 'Set a timeout, keep the application with an unknown outcome, and tell the customer that you are checking.',
    scenario: 'timeout',
    judge: neitherRedirectedNorLooped,
  },
  {
    id: 'reply.lost',
    expected: 'When the response is lost, the lead is not submitted as a new one, and the customer sees no rejection.',
    // The connection breaks after the lead is stored, or before. The application cannot know which, and must handle
    // both.
    conditions: [
      { effect: { lost_reply: true }, times: 1, watch: true },
      { effect: { reset: true }, times: 1, watch: true },
    ],
    ...whereLost,
  },
  {
    id: 'reply.garbled',
    expected: 'A response that is not complete JSON is treated as a lost response.',
    conditions: [{ effect: { malformed: true }, times: 1, watch: true }],
    ...whereLost,
  },
]

async function judgeLost(submission: Submission, round: PublisherRound): Promise<Finding> {
  const isRejection = await isRejectionPage(round, submission.shown)
  const again = submission.requests.length > 1
  return judge(
    again ? 'The lead was sent twice.' : 'The lead was sent once.',
    isRejection &&
      (again
        ? 'The lead was sent again, and the customer saw the rejection that their own first lead caused.'
        : 'The customer saw a rejection page, although the response was lost.'),
    sentMore(submission, maxSendsWithoutResponse),
    !redirectUrlOf(submission) && redirected(submission),
  )
}

/** The checks of submissions, in order. An application's reaction to an error is the same under every profile. */
export const submissionChecks: readonly PublisherCheck[] = [
  ...leadChecks.map((check): PublisherCheck => ({ ...check, needs: ['submitCommand'] })),
  ...redirectCases.map(submissionCheck),
  ...[...errorCases, ...replyCases].map(each => submissionCheck({ ...each, rounds: 'first' })),
]
