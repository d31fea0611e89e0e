import { cases, runCases, type Target } from '@lead-distribution/conformance'
import { type CallbackListener, openCallbackListener } from '@lead-distribution/conformance/callback-listener'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { targetThrough, withKnownRetries } from './conformance-target.ts'
import { onEveryAdapter } from './every-adapter.ts'

/** Both profiles, with settings that make every case apply in one of them. `unseen` cases do not apply in this one. */
const profiles = [
  {
    profile: 'prose',
    settings: {},
    unseen: [
      'open/returns-method_not_allowed-for-an-unsupported-post-or-patch',
      'open/signs-every-callback-with-its-own-id-and-time',
    ],
  },
  { profile: 'formal', settings: { callback_signature: 'standard_webhooks' }, unseen: [] as string[] },
]

/** Retries short enough for a test. */
const callback_retries = ['PT0.05S', 'PT0.05S', 'PT0.05S']

/** Callbacks arrive within milliseconds, or later on a busy machine. */
const patienceMs = 30_000

/**
 * The cases about an adapter's own work: routing, bytes, headers, concurrency, and callbacks on the wire. Behind
 * the rest is the same code on every adapter, so that they run in memory only.
 */
const onTheWire =
  /malformed|unusual-json|in-json|charset|byte-order|media_type|payload_too_large|declared-as-json|simultaneous|-key|bearer|header|letter-case|method_not|not_found|post-only|version-path|-ref$|-ref-|repeated-\w+-parameter|-head-|with-a-redirect_url|by-get-to|redirect-of|keeps-the-query|signs-every/

onEveryAdapter('the conformance suite', (adapter, name) => {
  const targets = new Map<string, Target>()
  let callbacks: CallbackListener
  beforeAll(async () => {
    callbacks = await openCallbackListener({ patienceMs })
    for (const { profile, settings } of profiles) {
      const creation = { profile, settings: { ...settings, callback_retries }, callback_url: callbacks.url }
      const { target } = await targetThrough(adapter, creation, { callbacks, patienceMs })
      targets.set(profile, withKnownRetries(target, callback_retries))
    }
  })
  afterAll(() => callbacks[Symbol.asyncDispose]())

  const rows = cases
    .filter(({ id }) => name === 'memory' || onTheWire.test(id))
    // Paths outside the base URL belong to the page.
    .filter(({ id }) => !(name === 'msw' && /version-path/.test(id)))
    .map(each => ({ title: `${each.id} [${each.statements.join(', ')}]`, each }))

  describe.concurrent('under both profiles', () => {
    it.for(rows)('$title', async ({ each }, { expect: expectHere }) => {
      const results = await Promise.all(
        profiles.map(async ({ profile, unseen }) => {
          const target = targets.get(profile) ?? expect.unreachable()
          const [result] = await runCases([each], target)
          const { outcome, expected, seen, reason } = result ?? expect.unreachable()
          const hasNoOccasion = outcome === 'skipped' && unseen.includes(each.id)
          return {
            profile,
            outcome: hasNoOccasion ? 'passed' : outcome,
            expected,
            seen,
            ...(!hasNoOccasion && { reason }),
          }
        }),
      )
      expectHere(results).toEqual(profiles.map(({ profile }) => ({ profile, outcome: 'passed' })))
    })
  })
})
