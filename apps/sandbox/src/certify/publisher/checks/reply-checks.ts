import { type Finding, failed } from '../../certify-check.ts'
import { judge, misdirected, redirected, sentMore } from '../judge-submission.ts'
import { repliesOf, type Submission } from '../submission.ts'
import type { SubmitOrder } from '../submitter.ts'
import { changed } from './redirect-checks.ts'
import { type PublisherCheck, type SubmissionCase, submissionCheck } from './submission-check.ts'

/** How often a lead may be sent whose reply does not come: once more may find out, more is blind. */
const mostSends = 2

/** The checks of replies that are late, lost, broken, or of a later version. */
export const replyChecks: readonly PublisherCheck[] = [
  reply({
    id: 'reply.unknown-reason',
    spec: '2.12',
    expected: 'A rejection for a reason that is not known yet is a rejection.',
    mend: 'Take any text for `rejection_reason`: reasons may be added. Tell the customer as with any other rejection.',
    word: 'eligibility_failed',
    orders: [{ change: (_, answer) => changed(answer, { rejection_reason: 'not_known_yet' }) }],
  }),
  reply({
    id: 'reply.unknown-status',
    spec: '2.12',
    expected: 'A status that is not known yet redirects nobody, and breaks nothing.',
    mend: 'Redirect at `distributed` alone, and treat a status that you do not know as `new`: a callback may tell more.',
    word: 'new',
    orders: [{ change: (_, answer) => changed(answer, { status: 'not_known_yet' }) }],
  }),
  reply({
    id: 'reply.slow',
    spec: '8',
    expected: 'A reply that takes 3 seconds is waited for, and redirects as any other.',
    mend: 'Wait 10 seconds or more: the service asks lenders while you wait. A lead that you gave up on is theirs.',
    word: 'distributed',
    orders: [{ effect: { latency_ms: 3_000 } }],
    judge: submission => judge('It was.', sentMore(submission, 1), misdirected(submission, redirectUrlOf(submission))),
  }),
  reply({
    id: 'reply.timeout',
    spec: '8',
    expected: 'A reply that never comes keeps no customer waiting for ever, and the lead is not sent in a loop.',
    mend: 'Set a time-out, keep the application as unknown, and tell the customer that you are making sure.',
    word: 'timeout',
  }),
  lost({
    id: 'reply.lost',
    expected:
      'A lead whose reply is lost is not sent again as another, and its customer is not told that it was refused.',
    orders: [cut('lost_reply'), cut('reset')],
  }),
  lost({
    id: 'reply.garbled',
    expected: 'A lead whose reply is no whole JSON is treated as one whose reply is lost.',
    orders: [cut('malformed')],
  }),
]

function reply(check: Omit<SubmissionCase, 'judge'> & Partial<Pick<SubmissionCase, 'judge'>>): PublisherCheck {
  return submissionCheck({
    rounds: 'first',
    judge: submission => judge('So it was.', sentMore(submission, mostSends), redirected(submission)),
    ...check,
  })
}

function lost(check: Pick<SubmissionCase, 'id' | 'expected' | 'orders'>): PublisherCheck {
  return reply({
    ...check,
    spec: '2.4, 2.12',
    mend: 'Keep the application as unknown. A second try gets customer_already_exists, which may be your own lead: wait for its callback, and tell the customer that you are making sure.',
    word: 'distributed',
    judge: judgeLost,
  })
}

/** The connection is cut behind the work or before it: the application cannot tell, and must do well with either. */
function cut(effect: 'lost_reply' | 'reset' | 'malformed'): SubmitOrder {
  return { effect: { [effect]: true }, times: 1, lookOn: true }
}

function judgeLost(submission: Submission): Finding {
  const { shown, calls } = submission
  const again = calls.length > 1
  // Where nothing was done at first, a second try may come out well.
  const isRefused = repliesOf(submission).some(({ status }) => status === 'rejected')
  if (isRefused && /reject|refus|declin|sorry|cannot offer/i.test(shown))
    return failed('It was sent again, and the customer was told of a rejection, which is that of their own lead.')
  return judge(
    again ? 'It was sent once more.' : 'It was sent once.',
    sentMore(submission, mostSends),
    !redirectUrlOf(submission) && redirected(submission),
  )
}

function redirectUrlOf(submission: Submission) {
  return repliesOf(submission).find(({ status }) => status === 'distributed')?.redirect_url
}
