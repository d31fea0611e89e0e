import type { HttpResponse } from '@lead-distribution/http'
import type { ScenarioWord } from '@lead-distribution/test-leads'
import { failed, passed } from '../../certify-check.ts'
import { judge, misdirected, redirected, sentMore } from '../judge-submission.ts'
import { repliesOf } from '../submission.ts'
import { type PublisherCheck, submissionCheck } from './submission-check.ts'

/** The checks of where the customer is sent. */
export const redirectChecks: readonly PublisherCheck[] = [
  submissionCheck({
    id: 'redirect.distributed',
    spec: '1, 3',
    expected: 'Where a lead is distributed, its customer is redirected to the redirect_url, letter by letter.',
    mend: 'Redirect with 303 to `redirect_url` as it came: no rewriting, no encoding, no parameters of your own.',
    word: 'distributed',
    judge: submission => {
      const { redirect_url } = repliesOf(submission).find(({ status }) => status === 'distributed') ?? {}
      return judge('It was.', misdirected(submission, redirect_url), sentMore(submission, 1))
    },
  }),
  unredirected({
    id: 'redirect.new',
    word: 'new',
    expected: 'Where a lead is new, its customer is not redirected.',
    mend: 'Look at `status` first: `new` has no `redirect_url`. Tell the customer that there will be news.',
  }),
  unredirected({
    id: 'redirect.rejected',
    word: 'eligibility_failed',
    expected: 'Where a lead is rejected, which is a 200, its customer is not redirected.',
    mend: 'Look at `status`, not at the HTTP status: a rejection is a 200 too.',
  }),
  unredirected({
    id: 'redirect.refused-without-lead',
    word: 'customer_already_exists',
    expected: 'Where a lead is rejected before it is made, without a lead_id, its customer is not redirected.',
    mend: 'Let `lead_id` be missing or null in a rejection (Spec 2.12), and tell the customer as with any other.',
  }),
  submissionCheck({
    id: 'redirect.scheme',
    spec: '2.12',
    rounds: 'first',
    expected: 'A redirect_url that is no http or https address is not followed.',
    mend: 'Redirect only where the URL begins with https:// (or http:// in a sandbox): anything else may be a script.',
    word: 'distributed',
    orders: [{ change: (_, reply) => changed(reply, { redirect_url: 'javascript:alert(1)' }) }],
    judge: ({ shown }) =>
      /(?:^|["'\s])javascript:/i.test(shown)
        ? failed('The customer was sent to a javascript: address.')
        : passed('It was not.'),
  }),
]

/** A reply whose JSON has other values. */
export function changed(reply: HttpResponse, values: object): HttpResponse | undefined {
  if (reply.status !== 200) return undefined
  return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), ...values }) }
}

function unredirected(
  check: Pick<PublisherCheck, 'id' | 'expected' | 'mend'> & { word: ScenarioWord },
): PublisherCheck {
  return submissionCheck({
    spec: '1, 3',
    ...check,
    judge: submission => judge('It was not.', redirected(submission), sentMore(submission, 1)),
  })
}
