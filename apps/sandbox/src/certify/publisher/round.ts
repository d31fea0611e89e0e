import type { ScenarioWord } from '@lead-distribution/test-leads'
import type { CertifySandbox } from '../certify-sandbox.ts'
import type { ProfileName } from '../check.ts'
import { createSandboxControl, type SandboxControl } from '../sandbox-control.ts'
import {
  createSubmitter,
  howToSee,
  type PublisherApplication,
  responsesOf,
  type Submission,
  type SubmitConditions,
} from './application.ts'
import { type CallbackDriver, createCallbackDriver } from './callback-driver.ts'

/** What the checks of a publisher's application share for one round: one pass over them, under one profile. */
export interface PublisherRound {
  readonly profile: ProfileName
  readonly sandbox: CertifySandbox
  readonly control: SandboxControl
  readonly application: PublisherApplication
  /** Submits as a new customer, whose outcome the scenario forces. */
  submit(scenario: ScenarioWord, conditions?: SubmitConditions): Promise<Submission>
  /** A submission without a fault, the same one for all checks of the round. */
  ordinary(): Promise<Ordinary>
  /** Why the application gives no lead, a sentence; undefined where it does. */
  unready(): Promise<string | undefined>
  readonly callbacks: CallbackDriver
}

/** A submission without a fault, and what other interpretations of the specification do with it. */
export interface Ordinary extends Submission {
  /** Sentences. */
  readonly warnings: readonly string[]
}

/** Makes a round. */
export function createPublisherRound(
  sandbox: CertifySandbox,
  profile: ProfileName,
  application: PublisherApplication,
): PublisherRound {
  const control = createSandboxControl(sandbox)
  const submit = createSubmitter(sandbox, control, application)
  let first: Promise<Ordinary> | undefined

  async function submitOrdinary(): Promise<Ordinary> {
    const submission = await submit('distributed')
    const given = submission.calls.length === 0 ? [] : await control.portabilityWarnings()
    const warnings = given.map(
      each => `${each.switch} is ${each.interpretation} here; where it is ${each.other_interpretation}, ${each.would}`,
    )
    return { ...submission, warnings }
  }

  const round: PublisherRound = {
    profile,
    sandbox,
    control,
    application,
    submit,
    ordinary: () => {
      first ??= submitOrdinary()
      return first
    },
    async unready() {
      if (application.submitCommand === undefined) return howToSee.submitCommand
      const { status } = responsesOf(await round.ordinary())[0] ?? {}
      if (status !== undefined) return undefined
      return 'The service takes no lead of the application: fix lead.accepted first.'
    },
    callbacks: createCallbackDriver(sandbox.account, control, application, async () => {
      if ((await round.unready()) === undefined) return submit('distributed')
      return undefined
    }),
  }
  return round
}
