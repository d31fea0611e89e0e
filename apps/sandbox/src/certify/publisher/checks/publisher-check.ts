import type { ScenarioWord } from '@lead-distribution/contract/testing'
import { type Check, type Finding, failed, notSeen } from '../../check.ts'
import { howToSee, type Submission, type SubmitConditions } from '../application.ts'
import { crashed, strayed } from '../problems.ts'
import type { PublisherRound } from '../round.ts'

/** A check of a publisher's application. */
export type PublisherCheck = Check<PublisherRound>

/** What a check of submissions plays, and how it judges each. */
export interface SubmissionCase extends Omit<PublisherCheck, 'run'> {
  readonly word: ScenarioWord
  /** How it is disturbed; several are played one after the other, each as a customer of its own. */
  readonly conditions?: readonly SubmitConditions[]
  /** Judges a submission that arrived, and whose customer got an answer. */
  readonly judge: (submission: Submission) => Finding
}

/** A check of what becomes of submissions: failed with the first that fails, else as the last one. */
export function submissionCheck({ word, conditions = [{}], judge, ...check }: SubmissionCase): PublisherCheck {
  return {
    ...check,
    run: async play => {
      const unready = await play.unready()
      if (unready !== undefined) return notSeen(unready)
      let finding = notSeen('Nothing was played.')
      for (const order of conditions) {
        const submission = await play.submit(word, order)
        const fault = strayed(submission) || crashed(submission)
        finding = fault ? failed(fault) : judge(submission)
        if (finding.verdict === 'failed') break
      }
      return finding
    },
  }
}

/** What a check of callbacks plays. */
export interface CallbackCase extends Omit<PublisherCheck, 'run'> {
  /** Whether nothing is seen without what the application counts. */
  readonly counts?: boolean
  readonly play: (play: PublisherRound) => Promise<Finding>
}

/** A check of how the application takes callbacks. */
export function callbackCheck({ counts = false, play: run, ...check }: CallbackCase): PublisherCheck {
  return {
    ...check,
    run: async play => {
      const { callbackUrl, eventsCommand } = play.application
      if (callbackUrl === undefined) return notSeen(howToSee.callbackUrl)
      const unready = counts ? await play.unready() : undefined
      if (unready !== undefined) return notSeen(unready)
      if (counts && eventsCommand === undefined) return notSeen(howToSee.eventsCommand)
      return run(play)
    },
  }
}
