import type { LeadResponse } from '@lead-distribution/contract'
import type { CommandEnd } from '../run-command.ts'
import type { TappedCall } from '../wire-tap.ts'

/** One run of the command that submits an application, and what arrived at the service. */
export interface Submission {
  readonly email: string
  /** The calls that were made for it, oldest first. */
  readonly calls: readonly TappedCall[]
  /** What the customer gets: what the command printed. */
  readonly shown: string
  readonly end: CommandEnd
}

/** The replies that reached the application, oldest first; empty ones where one was lost or is no JSON. */
export function repliesOf({ calls }: Submission): Partial<LeadResponse>[] {
  return calls.map(({ reply }) => {
    try {
      return reply?.broken ? {} : JSON.parse(reply?.body ?? '')
    } catch {
      return {}
    }
  })
}

/** The lead that the service made of a submission; undefined where it made none. */
export function leadIdOf(submission: Submission): string | undefined {
  return repliesOf(submission).find(({ lead_id }) => lead_id)?.lead_id ?? undefined
}

/** The e-mail address in a call's body; undefined where there is none. */
export function emailOf({ body }: Pick<TappedCall, 'body'>): string | undefined {
  try {
    const address = JSON.parse(body)?.customer?.contact?.email?.address
    return typeof address === 'string' ? address.toLowerCase() : undefined
  } catch {
    return undefined
  }
}
