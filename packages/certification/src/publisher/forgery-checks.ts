import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackSignatureHeaders } from '@lead-distribution/contract'
import { type Finding, failed, judge, notSeen } from '../check.ts'
import { countedWithinMs, eventCount } from './callback-checks.ts'
import type { HandmadeCallback, PublisherCheck, PublisherRound } from './round.ts'

/** A forged callback. `what` names its difference from a genuine one. */
type Forgery = Omit<HandmadeCallback, 'lead_id' | 'event'> & { readonly what: string }

const checks: readonly PublisherCheck[] = [
  {
    id: 'forged.secret',
    spec: '6.2, open point 14',
    expected: "A callback without the callback URL's secret is rejected.",
    fix: 'Put a long random string into the path of the callback URL, compare it in constant time, and respond 404 if it does not match.',
    async run(round) {
      const { callbackUrl = '', signed } = round.application
      const other = otherSecret(callbackUrl)
      if (other !== undefined) return forge(round, [{ what: 'with another secret', to: other }])
      if (signed) return notSeen('The callback URL contains no secret; forged.signature checks signatures instead.')
      return failed('The callback URL contains no secret: anyone who guesses it can forge callbacks.')
    },
  },
  {
    id: 'forged.signature',
    spec: 'open point 14',
    expected: 'If callbacks are signed, a callback without a valid, recent signature is rejected.',
    fix: 'Verify `webhook-signature` over `webhook-id`, `webhook-timestamp` and the target, and reject a timestamp that is more than 5 minutes off.',
    run: async round =>
      round.application.signed
        ? forge(round, wrongSignatures(round))
        : notSeen('Callbacks are not signed. Pass --signed-callbacks if the application verifies signatures.'),
  },
  {
    id: 'forged.method',
    spec: '6.2',
    expected: 'A callback by POST or HEAD is rejected: the service sends only GET.',
    fix: 'Accept only GET on the route, and respond 405 to other methods: link previews send HEAD, which many frameworks treat as GET.',
    run: round =>
      forge(
        round,
        ['POST', 'HEAD'].map(method => ({ what: `by ${method}`, method })),
      ),
  },
  {
    id: 'forged.parameters',
    spec: '6.2',
    expected: 'A callback with missing, repeated or malformed parameters is rejected and causes no error.',
    fix: 'Accept exactly one `lead_id`, a UUID, and one `event`, and respond 400 to anything else.',
    run(round) {
      const without = (name: string) => (url: string) => url.replace(new RegExp(`([?&])${name}=[^&]*&?`), '$1')
      return forge(round, [
        { what: 'without lead_id', at: without('lead_id') },
        { what: 'without event', at: without('event') },
        { what: 'with a lead_id that is not a UUID', at: url => url.replace(/lead_id=[^&]*/, 'lead_id=1%27%20or%201') },
        { what: 'with two lead_ids', at: url => `${url}&lead_id=${randomUUID()}` },
        { what: 'with two events', at: url => `${url}&event=rejected` },
      ])
    },
  },
]

/** The checks of forged callbacks, in order. Their results are the same under every profile. */
export const forgeryChecks: readonly PublisherCheck[] = checks.map(check => ({
  ...check,
  rounds: 'first',
  needs: ['callbackUrl'],
}))

/** Sends forged callbacks. None may get a 5xx or be counted. If the counts are not visible, none may get a 2xx. */
async function forge(round: PublisherRound, forgeries: readonly Forgery[]): Promise<Finding> {
  const lead_id = await round.lead()
  const event = 'registration'
  const responses: { what: string; status: number }[] = []
  for (const { what, ...forgery } of forgeries)
    responses.push({ what, status: await round.send({ lead_id, event, ...forgery }) })
  await sleep(countedWithinMs)
  const events = await round.events(lead_id)
  const broken = responses.find(({ status }) => status === 0 || status >= 500)
  const taken = responses.find(({ status }) => status >= 200 && status < 300)
  const counted = ['registration', 'rejected'].find(each => eventCount(events ?? '', each) > 0)
  return judge(
    `The responses were ${[...new Set(responses.map(({ status }) => status))].join(', ')}, and none was counted.`,
    broken && `A callback ${broken.what} got ${broken.status === 0 ? 'no response' : `a ${broken.status}`}.`,
    counted && `A callback ${taken?.what ?? 'that was forged'} was counted as ${counted}.`,
    events === undefined && taken && `A callback ${taken.what} got a ${taken.status}.`,
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
    { what: 'with a signature for another target', headers: signed({ behind: '&more=1' }) },
    { what: 'with a signature that is an hour old', headers: signed({ ageMs: 3_600_000 }) },
  ]
}

/** The minimum length of a URL part that counts as a secret, characters. */
const leastLength = 16

/**
 * Replaces a callback URL's secret, a long part of its path or a long query value; returns undefined if it has none.
 */
export function otherSecret(callbackUrl: string): string | undefined {
  const url = new URL(callbackUrl)
  // Not decoded: a decoded part would not be found in the URL.
  const parts = [
    ...url.pathname.split('/').reverse(),
    ...url.search.split(/[?&]/).map(pair => pair.replace(/^[^=]*=/, '')),
  ]
  const secret = parts.find(part => part.length >= leastLength)
  if (secret === undefined) return undefined
  const [before = '', ...after] = `${url.pathname}${url.search}`.split(secret)
  const other = randomBytes(secret.length).toString('hex').slice(0, secret.length)
  return `${url.origin}${before}${other}${after.join(secret)}`
}
