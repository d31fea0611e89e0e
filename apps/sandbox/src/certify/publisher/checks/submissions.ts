import { basePath, keyHeader } from '@lead-distribution/contract'
import type { HttpResponse } from '@lead-distribution/http'
import type { ScenarioWord } from '@lead-distribution/test-leads'
import { type Check, failed, notSeen, passed } from '../../check.ts'
import { howToSee, responsesOf } from '../application.ts'
import {
  count,
  judge,
  misdirected,
  type Ordinary,
  type PublisherRound,
  redirected,
  sentMore,
  strayed,
} from '../round.ts'
import { type PublisherCheck, submissionCheck } from './publisher-check.ts'

/** The checks of what the application sends. */
export const leadChecks: readonly PublisherCheck[] = [
  {
    id: 'lead.accepted',
    spec: '4.1',
    expected: 'The service takes a lead of the application.',
    fix: 'Send what the reply asks for, field by field, with the base URL, key and ids that `--env` prints, and $LEAD_EMAIL as the e-mail address (in a form its plus is encoded: curl --data-urlencode).',
    run: onOrdinary(submission => judge('It was taken.', strayed(submission), refused(submission))),
  },
  {
    id: 'lead.portable',
    spec: '2.3, 2.9',
    expected: 'The lead is taken under either interpretation of the specification.',
    fix: 'Send `gender` and `consents.metadata` always: no interpretation refuses them.',
    run: onOrdinary(({ calls, warnings }) =>
      judge('Both interpretations take it.', calls.length === 0 && 'No lead arrived at the sandbox.', warnings[0]),
    ),
  },
  {
    id: 'key.header',
    spec: '5',
    expected: `The key goes in the header \`${keyHeader}\`, and never in a URL.`,
    fix: `Set the header \`${keyHeader}\` on each call, and take the key out of path and query: URLs end up in logs.`,
    run: async round => {
      const unready = round.application.submitCommand === undefined && howToSee.submitCommand
      if (unready) return notSeen(unready)
      await round.ordinary()
      const calls = round.sandbox.recorder.calls.filter(({ target }) => target.startsWith(basePath))
      const { api_key } = round.sandbox.account().publisher
      const inUrl = calls.filter(({ target }) => decoded(target).includes(api_key)).length
      const without = calls.filter(({ headers }) => headers[keyHeader] === undefined).length
      return judge(
        `So it was in ${count(calls.length, 'call')}.`,
        calls.length === 0 && 'No call arrived at the sandbox.',
        inUrl > 0 && `The key was in the URL of ${count(inUrl, 'call')}.`,
        without > 0 && `${count(without, 'call')} had no header \`${keyHeader}\`.`,
      )
    },
  },
]

function onOrdinary(judgeIt: (submission: Ordinary) => ReturnType<typeof judge>): Check<PublisherRound>['run'] {
  return async round =>
    round.application.submitCommand === undefined ? notSeen(howToSee.submitCommand) : judgeIt(await round.ordinary())
}

function refused({ calls }: Ordinary): string | undefined {
  const response = calls[0]?.response
  if (!response || response.status === 200) return undefined
  const { error = '', details = [] } = JSON.parse(response.body)
  const issues = details.map(({ field, issue }: Record<string, string>) => `${field} ${issue}`)
  return `The service answered ${response.status} ${[error, ...issues].join('; ')}.`
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

/** The checks of where the customer is redirected to. */
export const redirectChecks: readonly PublisherCheck[] = [
  submissionCheck({
    id: 'redirect.distributed',
    spec: '1, 3',
    expected: 'Where a lead is distributed, its customer is redirected to exactly the redirect_url.',
    fix: 'Redirect with 303 to `redirect_url` as it came: no rewriting, no encoding, no additional parameters.',
    scenario: 'distributed',
    judge: submission => {
      const { redirect_url } = responsesOf(submission).find(({ status }) => status === 'distributed') ?? {}
      return judge('It was.', misdirected(submission, redirect_url), sentMore(submission, 1))
    },
  }),
  unredirected({
    id: 'redirect.new',
    scenario: 'new',
    expected: 'Where a lead is new, its customer is not redirected.',
    fix: 'Look at `status` first: `new` has no `redirect_url`. Inform the customer that there will be news.',
  }),
  unredirected({
    id: 'redirect.rejected',
    scenario: 'eligibility_failed',
    expected: 'Where a lead is rejected, which is a 200, its customer is not redirected.',
    fix: 'Look at `status`, not at the HTTP status: a rejection is a 200 too.',
  }),
  unredirected({
    id: 'redirect.refused-without-lead',
    scenario: 'customer_already_exists',
    expected: 'Where a lead is rejected before it is made, without a lead_id, its customer is not redirected.',
    fix: 'Let `lead_id` be missing or null in a rejection (Spec 2.12), and show the customer what any other rejection shows.',
  }),
  submissionCheck({
    id: 'redirect.scheme',
    spec: '2.12',
    rounds: 'first',
    expected: 'A redirect_url that is no http or https address is not followed.',
    fix: 'Redirect only where the URL begins with https:// (or http:// in a sandbox): anything else may be a script.',
    scenario: 'distributed',
    conditions: [{ change: (_, response) => changed(response, { redirect_url: 'javascript:alert(1)' }) }],
    judge: ({ shown }) =>
      /(?:^|["'\s])javascript:/i.test(shown)
        ? failed('The customer was sent to a javascript: address.')
        : passed('It was not.'),
  }),
]

/** A response whose JSON has other values. */
export function changed(response: HttpResponse, values: object): HttpResponse | undefined {
  if (response.status !== 200) return undefined
  return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...values }) }
}

function unredirected(
  check: Pick<PublisherCheck, 'id' | 'expected' | 'fix'> & { scenario: ScenarioWord },
): PublisherCheck {
  return submissionCheck({
    spec: '1, 3',
    ...check,
    judge: submission => judge('It was not.', redirected(submission), sentMore(submission, 1)),
  })
}
