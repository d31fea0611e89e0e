import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackSignatureHeaders } from '@lead-distribution/contract'
import { type Finding, failed, notSeen } from '../../check.ts'
import { eventCount, type HandmadeCallback, otherSecret } from '../callback-driver.ts'
import { judge, type PublisherRound } from '../round.ts'
import { countedWithinMs } from './callbacks.ts'
import { callbackCheck, type PublisherCheck } from './publisher-check.ts'

/** A forged callback, and its difference to a right one. */
type Forgery = Omit<HandmadeCallback, 'lead_id' | 'event'> & { readonly what: string }

/** The checks of callbacks that the service did not send. */
export const forgeryChecks: readonly PublisherCheck[] = [
  callbackCheck({
    id: 'forged.secret',
    spec: '6.2, open point 14',
    rounds: 'first',
    expected: 'A callback without the secret of the callback URL is not taken.',
    fix: 'Put a long random text into the path of the callback URL, compare it in constant time, and answer 404 without it.',
    find: async round => {
      const { callbackUrl = '', signed } = round.application
      const other = otherSecret(callbackUrl)
      if (other !== undefined)
        return forge(round, [{ what: 'with another secret', at: url => url.replace(callbackUrl, other) }])
      if (signed) return notSeen('The callback URL holds no secret; forged.signature proves its callbacks instead.')
      return failed('The callback URL holds no secret: anybody who guesses it can forge callbacks.')
    },
  }),
  callbackCheck({
    id: 'forged.signature',
    spec: 'open point 14',
    rounds: 'first',
    expected: 'A callback without a right signature of now is not taken, where callbacks are signed.',
    fix: 'Verify `webhook-signature` over `webhook-id`, `webhook-timestamp` and the target, and refuse a timestamp that is 5 minutes off.',
    find: async round =>
      round.application.signed
        ? forge(round, wrongSignatures(round))
        : notSeen('Callbacks are not signed. Give --signed-callbacks where the application verifies signatures.'),
  }),
  callbackCheck({
    id: 'forged.method',
    spec: '6.2',
    rounds: 'first',
    expected: 'A callback by POST or HEAD is not taken: the service sends only GET.',
    fix: 'Let the route take only GET, and answer 405 to the rest: a link preview sends HEAD, and many frameworks take it for GET.',
    find: round =>
      forge(
        round,
        ['POST', 'HEAD'].map(method => ({ what: `by ${method}`, method })),
      ),
  }),
  callbackCheck({
    id: 'forged.parameters',
    spec: '6.2',
    rounds: 'first',
    expected: 'A callback whose parameters are missing, doubled or no UUID is not taken, and breaks nothing.',
    fix: 'Take exactly one `lead_id`, a UUID, and one `event`, and answer 400 to the rest.',
    find: round => {
      const without = (name: string) => (url: string) => url.replace(new RegExp(`([?&])${name}=[^&]*&?`), '$1')
      return forge(round, [
        { what: 'without lead_id', at: without('lead_id') },
        { what: 'without event', at: without('event') },
        { what: 'with a lead_id that is no UUID', at: url => url.replace(/lead_id=[^&]*/, 'lead_id=1%27%20or%201') },
        { what: 'with two lead_ids', at: url => `${url}&lead_id=${randomUUID()}` },
        { what: 'with two events', at: url => `${url}&event=rejected` },
      ])
    },
  }),
]

/** Sends forged callbacks of one lead: none may be answered 5xx, be counted, or, where that is not seen, be taken. */
async function forge({ callbacks }: PublisherRound, forgeries: readonly Forgery[]): Promise<Finding> {
  const lead_id = await callbacks.lead()
  const event = 'registration'
  const answers: { what: string; status: number }[] = []
  for (const { what, ...forgery } of forgeries)
    answers.push({ what, status: (await callbacks.send({ lead_id, event, ...forgery })).status })
  await sleep(countedWithinMs)
  const events = await callbacks.events(lead_id)
  const broken = answers.find(({ status }) => status === 0 || status >= 500)
  const taken = answers.find(({ status }) => status >= 200 && status < 300)
  const counted = ['registration', 'rejected'].find(each => eventCount(events ?? '', each) > 0)
  return judge(
    `Answered ${[...new Set(answers.map(({ status }) => status))].join(', ')}, and not counted.`,
    broken && `One ${broken.what} was answered ${broken.status === 0 ? 'with nothing' : broken.status}.`,
    counted && `One ${taken?.what ?? 'of them'} was counted as ${counted}.`,
    events === undefined && taken && `One ${taken.what} was answered ${taken.status}.`,
  )
}

function wrongSignatures({ sandbox }: PublisherRound): readonly Forgery[] {
  const { callback_secret } = sandbox.account().publisher
  const signed =
    ({ secret = callback_secret, ageMs = 0, behind = '' }) =>
    (url: string) =>
      callbackSignatureHeaders({ secret, id: randomUUID(), at: Date.now() - ageMs, url: `${url}${behind}` })
  return [
    { what: 'without a signature', headers: async () => ({}) },
    { what: 'signed with another secret', headers: signed({ secret: `whsec_${randomBytes(32).toString('base64')}` }) },
    { what: 'whose signature is that of another target', headers: signed({ behind: '&more=1' }) },
    { what: 'whose signature is an hour old', headers: signed({ ageMs: 3_600_000 }) },
  ]
}
