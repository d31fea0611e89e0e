import { acceptedPixelEvents, type PixelEvent, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { examineEvent } from '@lead-distribution/diagnostics/postback'
import { type Finding, failed, notSeen, passed } from '../../certify-check.ts'
import type { Asked } from '../lender-round.ts'
import type { LenderCheck } from './lender-check.ts'

/** What has happened to a loan before each event. */
const before: Readonly<Record<PixelEvent, readonly PixelEvent[]>> = {
  registration: [],
  approved: ['registration'],
  rejected: ['registration'],
  completed: ['registration', 'approved'],
  defaulted: ['registration', 'approved'],
}

/** One check for each event, under either of its names (Spec 6.1). */
export const eventChecks: readonly LenderCheck[] = pixelEvents.map(event => ({
  id: `event.${event}`,
  spec: '6.1',
  expected: `The event is reported as ${event}${usageNameOf[event] === event ? '' : `, or by its other name ${usageNameOf[event]}`}.`,
  mend: `Send one of these words and no other: ${acceptedPixelEvents.join(', ')}.`,
  async run(round) {
    const lead = await round.newLead()
    for (const earlier of before[event]) {
      const { taken } = await round.ask(lead, earlier)
      if (!taken) return notSeen(`The event before it, ${earlier}, did not come through: mend event.${earlier} first.`)
    }
    const from = round.callsOf(lead).length
    const asked = await round.ask(lead, event)
    return asked.taken ? passed(`It came as ${asked.taken.word}.`) : missing(asked, from)
  },
}))

function missing({ calls, trouble }: Asked, from: number): Finding {
  const last = calls.slice(from).at(-1)
  if (!last) return failed(`${trouble}No report of it arrived.`)
  if (last.word === undefined) return failed('A report came without an event.')
  if (!acceptedPixelEvents.some(word => word === last.word))
    return failed(examineEvent(new URLSearchParams({ event: last.word })).message)
  return failed(`A report came and did not come through: it was answered ${last.call.reply?.status ?? 'nothing'}.`)
}
