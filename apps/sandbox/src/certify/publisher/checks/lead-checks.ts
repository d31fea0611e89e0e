import { basePath, keyHeader } from '@lead-distribution/contract'
import { type CertifyCheck, notSeen } from '../../certify-check.ts'
import { count, judge, strayed } from '../judge-submission.ts'
import { give } from '../publisher-application.ts'
import type { Ordinary, PublisherPlay } from '../publisher-play.ts'
import type { PublisherCheck } from './submission-check.ts'

/** The checks of what the application sends. */
export const leadChecks: readonly PublisherCheck[] = [
  {
    id: 'lead.accepted',
    spec: '4.1',
    expected: 'The service takes a lead of the application.',
    mend: 'Send what the reply asks for, field by field, with the base URL, key and ids that `--env` prints, and $LEAD_EMAIL as the e-mail address (in a form its plus is encoded: curl --data-urlencode).',
    run: onOrdinary(submission => judge('It was taken.', strayed(submission), refused(submission))),
  },
  {
    id: 'lead.portable',
    spec: '2.3, 2.9',
    expected: 'The lead is taken under either reading of the specification.',
    mend: 'Send `gender` and `consents.metadata` always: no reading refuses them.',
    run: onOrdinary(({ calls, warnings }) =>
      judge('Both readings take it.', calls.length === 0 && 'No lead arrived at the sandbox.', warnings[0]),
    ),
  },
  {
    id: 'key.header',
    spec: '5',
    expected: `The key goes in the header \`${keyHeader}\`, and never in a URL.`,
    mend: `Set the header \`${keyHeader}\` on each call, and take the key out of path and query: URLs end up in logs.`,
    run: async play => {
      const unready = play.application.submitCommand === undefined && give.submitCommand
      if (unready) return notSeen(unready)
      await play.ordinary()
      const calls = play.sandbox.tap.calls.filter(({ target }) => target.startsWith(basePath))
      const { api_key } = play.sandbox.account().publisher
      const inUrl = calls.filter(({ target }) => decoded(target).includes(api_key)).length
      const without = calls.filter(({ headers }) => headers[keyHeader] === undefined).length
      return judge(
        `So it was in ${count(calls.length, 'call')}.`,
        calls.length === 0 && 'No call arrived at the sandbox.',
        inUrl > 0 && `The key stood in the URL of ${count(inUrl, 'call')}.`,
        without > 0 && `${count(without, 'call')} had no header \`${keyHeader}\`.`,
      )
    },
  },
]

function onOrdinary(judgeIt: (submission: Ordinary) => ReturnType<typeof judge>): CertifyCheck<PublisherPlay>['run'] {
  return async play =>
    play.application.submitCommand === undefined ? notSeen(give.submitCommand) : judgeIt(await play.ordinary())
}

function refused({ calls }: Ordinary): string | undefined {
  const { reply } = calls[0] ?? {}
  if (!reply || reply.status === 200) return undefined
  const { error = '', details = [] } = JSON.parse(reply.body)
  const issues = details.map(({ field, issue }: Record<string, string>) => `${field} ${issue}`)
  return `The service answered ${reply.status} ${[error, ...issues].join('; ')}.`
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}
