import type { ScenarioWord } from '@lead-distribution/test-leads'
import { type Check, type Finding, failed, notSeen } from '../../check.ts'
import { howToSee, type Submission, type SubmitConditions } from '../application.ts'
import { crashed, type PublisherRound, strayed } from '../round.ts'

/** A check of a publisher's application. */
export type PublisherCheck = Check<PublisherRound>

/** What a check of submissions submits, and how it judges each. */
export interface SubmissionCase extends Omit<PublisherCheck, 'run'> {
  readonly scenario: ScenarioWord
  /** What is done to it; several conditions are tried one after the other, each as a new customer. */
  readonly conditions?: readonly SubmitConditions[]
  /** Judges a submission that arrived, and whose customer got an answer. */
  readonly judge: (submission: Submission) => Finding
}

/** A check of submissions: fails with the first that fails, else finds what the last one shows. */
export function submissionCheck({ scenario, conditions = [{}], judge, ...check }: SubmissionCase): PublisherCheck {
  return {
    ...check,
    run: async round => {
      const unready = await round.unready()
      if (unready !== undefined) return notSeen(unready)
      let finding = notSeen('Nothing was submitted.')
      for (const each of conditions) {
        const submission = await round.submit(scenario, each)
        const problem = strayed(submission) || crashed(submission)
        finding = problem ? failed(problem) : judge(submission)
        if (finding.verdict === 'failed') break
      }
      return finding
    },
  }
}

/** What a check of callbacks does. */
export interface CallbackCase extends Omit<PublisherCheck, 'run'> {
  /** Whether nothing is seen without what the application counts. */
  readonly counts?: boolean
  readonly find: (round: PublisherRound) => Promise<Finding>
}

/** A check of how the application takes callbacks. */
export function callbackCheck({ counts = false, find, ...check }: CallbackCase): PublisherCheck {
  return {
    ...check,
    run: async round => {
      const { callbackUrl, eventsCommand } = round.application
      if (callbackUrl === undefined) return notSeen(howToSee.callbackUrl)
      const unready = counts ? await round.unready() : undefined
      if (unready !== undefined) return notSeen(unready)
      if (counts && eventsCommand === undefined) return notSeen(howToSee.eventsCommand)
      return find(round)
    },
  }
}
