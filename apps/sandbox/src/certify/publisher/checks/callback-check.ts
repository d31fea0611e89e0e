import { type Finding, notSeen } from '../../certify-check.ts'
import { give } from '../publisher-application.ts'
import type { PublisherPlay } from '../publisher-play.ts'
import type { PublisherCheck } from './submission-check.ts'

/** What a check of callbacks plays. */
export interface CallbackCase extends Omit<PublisherCheck, 'run'> {
  /** Whether nothing is seen without what the application counts. */
  readonly counts?: boolean
  readonly play: (play: PublisherPlay) => Promise<Finding>
}

/** A check of how the application takes callbacks. */
export function callbackCheck({ counts = false, play: run, ...check }: CallbackCase): PublisherCheck {
  return {
    ...check,
    run: async play => {
      const { callbackUrl, eventsCommand } = play.application
      if (callbackUrl === undefined) return notSeen(give.callbackUrl)
      const unready = counts ? await play.unready() : undefined
      if (unready !== undefined) return notSeen(unready)
      if (counts && eventsCommand === undefined) return notSeen(give.eventsCommand)
      return run(play)
    },
  }
}
