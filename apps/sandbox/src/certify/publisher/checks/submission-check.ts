import type { ScenarioWord } from '@lead-distribution/test-leads'
import { type CertifyCheck, type Finding, failed, notSeen } from '../../certify-check.ts'
import { crashed, strayed } from '../judge-submission.ts'
import type { PublisherPlay } from '../publisher-play.ts'
import type { Submission } from '../submission.ts'
import type { SubmitOrder } from '../submitter.ts'

/** A check of a publisher's application. */
export type PublisherCheck = CertifyCheck<PublisherPlay>

/** What a check of submissions plays, and how it judges each. */
export interface SubmissionCase extends Omit<PublisherCheck, 'run'> {
  readonly word: ScenarioWord
  /** How it is disturbed; several are played one after the other, each as a customer of its own. */
  readonly orders?: readonly SubmitOrder[]
  /** Judges a submission that arrived, and whose customer got an answer. */
  readonly judge: (submission: Submission) => Finding
}

/** A check of what becomes of submissions: failed with the first that fails, else as the last one. */
export function submissionCheck({ word, orders = [{}], judge, ...check }: SubmissionCase): PublisherCheck {
  return {
    ...check,
    run: async play => {
      const unready = await play.unready()
      if (unready !== undefined) return notSeen(unready)
      let finding = notSeen('Nothing was played.')
      for (const order of orders) {
        const submission = await play.submit(word, order)
        const fault = strayed(submission) || crashed(submission)
        finding = fault ? failed(fault) : judge(submission)
        if (finding.verdict === 'failed') break
      }
      return finding
    },
  }
}
