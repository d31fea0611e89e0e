import type { ScenarioWord } from '@lead-distribution/test-leads'
import type { ProfileName } from '../certify-check.ts'
import type { CertifySandbox } from '../certify-sandbox.ts'
import { type CallbackPlay, createCallbackPlay } from './callback-play.ts'
import { give, type PublisherApplication } from './publisher-application.ts'
import { repliesOf, type Submission } from './submission.ts'
import { createSubmitter, type SubmitOrder } from './submitter.ts'

/** What a check of a publisher's application plays with, for one round. */
export interface PublisherPlay {
  readonly profile: ProfileName
  readonly sandbox: CertifySandbox
  readonly application: PublisherApplication
  /** Submits as a customer of its own whose outcome is a word of the sandbox. */
  submit(word: ScenarioWord, order?: SubmitOrder): Promise<Submission>
  /** A submission that nothing disturbs, the same one for all checks of the round. */
  ordinary(): Promise<Ordinary>
  /** Why no lead of the application is to be had, a sentence; undefined where one is. */
  unready(): Promise<string | undefined>
  readonly callbacks: CallbackPlay
}

/** A submission that nothing disturbed, and what the other reading of the specification says of it. */
export interface Ordinary extends Submission {
  /** Sentences. */
  readonly warnings: readonly string[]
}

/** Makes what the checks of a round play with. */
export function createPublisherPlay(
  sandbox: CertifySandbox,
  profile: ProfileName,
  application: PublisherApplication,
): PublisherPlay {
  const submit = createSubmitter(sandbox, application)
  let first: Promise<Ordinary> | undefined

  async function submitOrdinary(): Promise<Ordinary> {
    const submission = await submit('distributed')
    const query = { operation: 'submitLead', limit: 1 }
    const { requests } = await sandbox.session.ask<'listRequests'>('GET', ['requests'], { query })
    const warnings = (submission.calls.length === 0 ? [] : (requests[0]?.warnings ?? [])).map(
      each => `${each.switch} is ${each.reading} here; where it is ${each.other_reading}, ${each.would}`,
    )
    return { ...submission, warnings }
  }

  const play: PublisherPlay = {
    profile,
    sandbox,
    application,
    submit,
    ordinary: () => {
      first ??= submitOrdinary()
      return first
    },
    async unready() {
      if (application.submitCommand === undefined) return give.submitCommand
      const { status } = repliesOf(await play.ordinary())[0] ?? {}
      if (status !== undefined) return undefined
      return 'The service takes no lead of the application: mend lead.accepted first.'
    },
    callbacks: createCallbackPlay(sandbox, application, async () => {
      if ((await play.unready()) === undefined) return submit('distributed')
      return undefined
    }),
  }
  return play
}
