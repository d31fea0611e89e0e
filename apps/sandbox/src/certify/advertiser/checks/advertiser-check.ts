import { type Check, type Finding, failed, notSeen } from '../../check.ts'
import type { AdvertiserRound, ReportCall, Reported } from '../round.ts'

/** A check of an advertiser's application. */
export type AdvertiserCheck = Check<AdvertiserRound>

/** Leaves a check out where nothing ever came: another try would take as long and show as little. */
export function unlessSilent(check: AdvertiserCheck): AdvertiserCheck {
  const run = async (round: AdvertiserRound): Promise<Finding> =>
    round.isSilent() ? notSeen('The application sent nothing at the first check: fix that first.') : check.run(round)
  return { ...check, run }
}

/** The pixel that was fired for a lead, or the finding that there is none. */
export function pixelOf({ calls, trouble }: Reported): ReportCall | Finding {
  const pixel = calls.find(({ form }) => form === 'pixel')
  if (pixel) return pixel
  if (calls.length > 0)
    return notSeen('The application reported by a JSON call: give a --postback that fires the postback URL.')
  return failed(`${trouble}Nothing arrived for the lead.`)
}

/** Whether it is a finding, and not what was looked for. */
export function isFinding(value: object): value is Finding {
  return 'verdict' in value
}

/** A number of things: `1 call`, `3 tries`. */
export function counted(count: number, thing: string): string {
  return `${count} ${count === 1 ? thing : `${thing.replace(/y$/, 'ie')}s`}`
}

/** Milliseconds as seconds for people. */
export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
