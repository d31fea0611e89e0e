import { count, judge, redirected, seconds, sentMore } from '../judge-submission.ts'
import type { Submission } from '../submission.ts'
import type { SubmitOrder } from '../submitter.ts'
import { type PublisherCheck, type SubmissionCase, submissionCheck } from './submission-check.ts'

/** How often a lead may be sent where the service has trouble. */
const mostSends = 5
const retryAfterSeconds = 1

/** The checks of what becomes of a lead that the service refuses. */
export const errorChecks: readonly PublisherCheck[] = [
  refusal(400, {
    word: 'distributed',
    effect: { status: 400 },
    mend: 'Do not send it again: the same lead gets the same reply. Show `details` to the customer, or to yourself.',
  }),
  refusal(401, {
    word: 'http_401',
    mend: 'Do not send it again: the key is wrong until somebody changes it. Keep the application, and alert somebody.',
  }),
  refusal(422, {
    word: 'http_422',
    mend: 'Treat a 422 as a refusal: do not send the same lead again, and do not take it for a success.',
  }),
  submissionCheck({
    id: 'error.500',
    spec: '4.1, 7',
    rounds: 'first',
    expected: 'A lead that is answered 500 is not sent without end, and its customer is not redirected.',
    mend: 'Keep the application. The service may have the lead: a second one comes back as customer_already_exists.',
    word: 'http_500',
    orders: [{ lookOn: true }],
    judge: submission => judge(timesSent(submission), sentMore(submission, mostSends), redirected(submission)),
  }),
  submissionCheck({
    id: 'error.503',
    spec: '7',
    rounds: 'first',
    expected: 'A lead that is answered 503 is sent again a few times at the most, and not before Retry-After.',
    mend: 'Wait as long as the header Retry-After says, and longer each time, and give up after a few tries.',
    word: 'distributed',
    orders: [{ effect: { status: 503, retry_after: retryAfterSeconds }, lookOn: true }],
    judge: submission =>
      judge(timesSent(submission), sentMore(submission, mostSends), tooSoon(submission), redirected(submission)),
  }),
]

type Refusal = Pick<SubmissionCase, 'word' | 'mend'> & Pick<SubmitOrder, 'effect'>

function refusal(status: number, { effect, ...check }: Refusal): PublisherCheck {
  return submissionCheck({
    id: `error.${status}`,
    spec: '4.1, 7',
    rounds: 'first',
    expected: `A lead that is answered ${status} is not sent again, and its customer is not redirected.`,
    ...check,
    orders: [{ ...(effect && { effect }), lookOn: true }],
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
