import { cases, runCase, type Target } from '@lead-distribution/conformance'
import { type CallbackListener, openCallbackListener } from '@lead-distribution/conformance/callback-listener'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { targetThrough } from './adapter-target.ts'

/** Both profiles, with what gives every case its occasion in one of them; `unseen` has none in this one. */
const profiles = [
  { profile: 'prose', settings: {}, unseen: ['open/refuses-another-method', 'open/signs-each-callback-by-itself'] },
  { profile: 'formal', settings: { callback_signature: 'standard_webhooks' }, unseen: [] as string[] },
]

/** Retries that a test can wait for. */
const retries = { callback_retries: ['PT0.05S', 'PT0.05S', 'PT0.05S'] }

onEveryAdapter('the suite', adapter => {
  describe.each(profiles)('under the profile $profile', ({ profile, settings, unseen }) => {
    let callbacks: CallbackListener
    let target: Target
    beforeAll(async () => {
      callbacks = await openCallbackListener()
      const creation = { profile, settings: { ...settings, ...retries }, callback_url: callbacks.url }
      ;({ target } = await targetThrough(adapter, creation, { callbacks }))
    })
    afterAll(() => callbacks[Symbol.asyncDispose]())

    const rows = cases
      .filter(({ id }) => !unseen.includes(id))
      .map(each => ({ title: `${each.title} [${each.statements.join(', ')}]`, each }))

    it.each(rows)('$title', async ({ each }) => {
      const { outcome, expected, seen, reason } = await runCase(each, target)
      expect({ outcome, expected, seen, reason }).toEqual({ outcome: 'passed' })
    })

    it.each(unseen)('%s has no occasion', async id => {
      const [each] = cases.filter(one => one.id === id)
      expect(each && (await runCase(each, target))).toMatchObject({ outcome: 'skipped' })
    })
  })
})
