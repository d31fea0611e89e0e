import { type Finding, failed } from '../../check.ts'
import { responsesOf, type Submission, type SubmitConditions } from '../application.ts'
import { count, judge, misdirected, redirected, seconds, sentMore } from '../round.ts'
import { type PublisherCheck, type SubmissionCase, submissionCheck } from './publisher-check.ts'
import { changed } from './submissions.ts'

/** How often a lead may be sent while the service fails. */
const mostSends = 5
const retryAfterSeconds = 1

/** The checks of leads that the service refuses. */
export const errorChecks: readonly PublisherCheck[] = [
  refusal(400, {
    scenario: 'distributed',
    effect: { status: 400 },
    fix: 'Do not send it again: the same lead gets the same reply. Show `details` to the customer, or to yourself.',
  }),
  refusal(401, {
    scenario: 'http_401',
    fix: 'Do not send it again: the key is wrong until somebody changes it. Keep the application, and alert somebody.',
  }),
  refusal(422, {
    scenario: 'http_422',
    fix: 'Treat a 422 as a refusal: do not send the same lead again, and do not take it for a success.',
  }),
  submissionCheck({
    id: 'error.500',
    spec: '4.1, 7',
    rounds: 'first',
    expected: 'A lead that is answered 500 is not sent without end, and its customer is not redirected.',
    fix: 'Keep the application. The service may have the lead: a second one comes back as customer_already_exists.',
    scenario: 'http_500',
    conditions: [{ watch: true }],
    judge: submission => judge(timesSent(submission), sentMore(submission, mostSends), redirected(submission)),
  }),
  submissionCheck({
    id: 'error.503',
    spec: '7',
    rounds: 'first',
    expected: 'A lead that is answered 503 is sent again a few times at most, and not before Retry-After.',
    fix: 'Wait as long as the header Retry-After says, and longer each time, and give up after a few tries.',
    scenario: 'distributed',
    conditions: [{ effect: { status: 503, retry_after: retryAfterSeconds }, watch: true }],
    judge: submission =>
      judge(timesSent(submission), sentMore(submission, mostSends), tooSoon(submission), redirected(submission)),
  }),
]

type Refusal = Pick<SubmissionCase, 'scenario' | 'fix'> & Pick<SubmitConditions, 'effect'>

function refusal(status: number, { effect, ...check }: Refusal): PublisherCheck {
  return submissionCheck({
    id: `error.${status}`,
    spec: '4.1, 7',
    rounds: 'first',
    expected: `A lead that is answered ${status} is not sent again, and its customer is not redirected.`,
    ...check,
    conditions: [{ ...(effect && { effect }), watch: true }],
    judge: submission => judge(timesSent(submission), sentMore(submission, 1), redirected(submission)),
  })
}

const timesSent = ({ calls }: Submission) => `It was sent ${count(calls.length, 'time')}.`

function tooSoon({ calls }: Submission): string | undefined {
  const gaps = calls.slice(1).map(({ at }, place) => at - (calls[place]?.at ?? 0))
  const shortest = Math.min(...gaps)
  // A tenth less: clocks round.
  return shortest < retryAfterSeconds * 900
    ? `It was sent again after ${seconds(shortest)}; Retry-After said ${retryAfterSeconds} s.`
    : undefined
}

/** How often a lead without an answer may be sent: once more may find out, more is blind. */
const mostSendsUnanswered = 2

/** The checks of responses that are late, lost, broken, or of a later version. */
export const replyChecks: readonly PublisherCheck[] = [
  reply({
    id: 'reply.unknown-reason',
    spec: '2.12',
    expected: 'A rejection for a reason that is not known yet is a rejection.',
    fix: 'Take any text for `rejection_reason`: reasons may be added. Show the customer what any other rejection shows.',
    scenario: 'eligibility_failed',
    conditions: [{ change: (_, response) => changed(response, { rejection_reason: 'not_known_yet' }) }],
  }),
  reply({
    id: 'reply.unknown-status',
    spec: '2.12',
    expected: 'A status that is not known yet redirects nobody, and breaks nothing.',
    fix: 'Redirect only at `distributed`, and treat a status that you do not know as `new`: a callback may bring more.',
    scenario: 'new',
    conditions: [{ change: (_, response) => changed(response, { status: 'not_known_yet' }) }],
  }),
  reply({
    id: 'reply.slow',
    spec: '8',
    expected: 'A reply that takes 3 seconds is waited for, and redirects as any other.',
    fix: 'Wait 10 seconds or more: the service asks advertisers while you wait. A lead that you gave up on is theirs.',
    scenario: 'distributed',
    conditions: [{ effect: { latency_ms: 3_000 } }],
    judge: submission => judge('It was.', sentMore(submission, 1), misdirected(submission, redirectUrlOf(submission))),
  }),
  reply({
    id: 'reply.timeout',
    spec: '8',
    expected: 'A reply that never comes keeps no customer waiting forever, and the lead is not sent in a loop.',
    fix: 'Set a time-out, keep the application as unknown, and inform the customer that you are making sure.',
    scenario: 'timeout',
  }),
  lost({
    id: 'reply.lost',
    expected: 'A lead whose reply is lost is not sent again as another, and its customer gets no rejection.',
    conditions: [cut('lost_reply'), cut('reset')],
  }),
  lost({
    id: 'reply.garbled',
    expected: 'A lead whose reply is no whole JSON is treated as one whose reply is lost.',
    conditions: [cut('malformed')],
  }),
]

function reply(check: Omit<SubmissionCase, 'judge'> & Partial<Pick<SubmissionCase, 'judge'>>): PublisherCheck {
  return submissionCheck({
    rounds: 'first',
    judge: submission => judge('So it was.', sentMore(submission, mostSendsUnanswered), redirected(submission)),
    ...check,
  })
}

function lost(check: Pick<SubmissionCase, 'id' | 'expected' | 'conditions'>): PublisherCheck {
  return reply({
    ...check,
    spec: '2.4, 2.12',
    fix: 'Keep the application as unknown. A second try gets customer_already_exists, which may be your own lead: wait for its callback, and inform the customer that you are making sure.',
    scenario: 'distributed',
    judge: judgeLost,
  })
}

/** The connection is cut after the work or before it: the application cannot know which, and must handle both. */
function cut(effect: 'lost_reply' | 'reset' | 'malformed'): SubmitConditions {
  return { effect: { [effect]: true }, times: 1, watch: true }
}

function judgeLost(submission: Submission): Finding {
  const { shown, calls } = submission
  const again = calls.length > 1
  // Where nothing was done at first, a second try may come out well.
  const isRefused = responsesOf(submission).some(({ status }) => status === 'rejected')
  if (isRefused && /reject|refus|declin|sorry|cannot offer/i.test(shown))
    return failed('It was sent again, and the customer got a rejection, which is that of their own lead.')
  return judge(
    again ? 'It was sent once more.' : 'It was sent once.',
    sentMore(submission, mostSendsUnanswered),
    !redirectUrlOf(submission) && redirected(submission),
  )
}

function redirectUrlOf(submission: Submission) {
  return responsesOf(submission).find(({ status }) => status === 'distributed')?.redirect_url
}
