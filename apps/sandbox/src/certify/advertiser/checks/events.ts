import { acceptedPixelEvents, type PixelEvent, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { diagnoseEvent } from '@lead-distribution/diagnostics/postback'
import { type Finding, failed, notSeen, passed } from '../../check.ts'
import { isTaken, type Reported } from '../round.ts'
import { type AdvertiserCheck, counted } from './advertiser-check.ts'

/** The events of a loan before each event. */
const before: Readonly<Record<PixelEvent, readonly PixelEvent[]>> = {
  registration: [],
  approved: ['registration'],
  rejected: ['registration'],
  completed: ['registration', 'approved'],
  defaulted: ['registration', 'approved'],
}

/** One check for each event, under either of its names (Spec 6.1). */
export const eventChecks: readonly AdvertiserCheck[] = pixelEvents.map(event => ({
  id: `event.${event}`,
  spec: '6.1',
  expected: `The event is reported as ${event}${usageNameOf[event] === event ? '' : `, or by its other name ${usageNameOf[event]}`}.`,
  fix: `Send one of these names and no other: ${acceptedPixelEvents.join(', ')}.`,
  async run(round) {
    const lead = await round.newLead()
    for (const earlier of before[event]) {
      const { taken } = await round.report(lead, earlier)
      if (!taken) return notSeen(`The event before it, ${earlier}, did not come through: fix event.${earlier} first.`)
    }
    const from = round.callsOf(lead).length
    const reported = await round.report(lead, event)
    return reported.taken ? passed(`It came as ${reported.taken.name}.`) : missing(reported, from)
  },
}))

function missing({ calls, trouble }: Reported, from: number): Finding {
  const last = calls.slice(from).at(-1)
  if (!last) return failed(`${trouble}No report of it arrived.`)
  if (last.name === undefined) return failed('A report came without an event.')
  if (!acceptedPixelEvents.some(name => name === last.name))
    return failed(diagnoseEvent(new URLSearchParams({ event: last.name })).message)
  return failed(`A report came and did not come through: it was answered ${last.call.response?.status ?? 'nothing'}.`)
}

/** Reported twice, as by a double click (Spec 4.3, rule 3). */
export const repeatHarmless: AdvertiserCheck = {
  id: 'repeat.harmless',
  spec: '4.3',
  expected: 'An event that is reported a second time is sent once more at most.',
  fix: 'Keep which events of a lead are reported. A repeat is ignored by the service: count it as done.',
  async run(round) {
    const lead = await round.newLead()
    const first = await round.report(lead, 'registration')
    if (!first.taken) return failed(`${first.trouble}The first report did not come through.`)
    const from = first.calls.length
    await round.report(lead, 'registration')
    await round.quiet()
    const more = round.callsOf(lead).length - from
    if (more > 1) return failed(`The second report was sent as ${counted(more, 'call')}.`)
    return passed(more === 0 ? 'The application knew that it was reported.' : 'The service ignored the second report.')
  },
}

/** Known to the service from a try whose reply was lost, or from elsewhere (Spec 4.3, rule 3). */
export const repeatIgnored: AdvertiserCheck = {
  id: 'repeat.ignored',
  spec: '4.3',
  expected: 'The status ignored is taken as success: the event is not sent again, and those behind it are.',
  fix: 'Treat ignored as received: the service has the event already.',
  async run(round) {
    const lead = await round.newLead()
    await round.control.trigger(lead.lead_id, 'registration', 'pixel')
    const { taken, trouble } = await round.report(lead, 'registration')
    if (!taken) return failed(`${trouble}No report came through, although the service would have ignored it.`)
    const next = await round.report(lead, 'approved')
    await round.quiet()
    const sent = round.callsOf(lead).filter(({ event }) => event === 'registration')
    const again = sent.length - 1 - sent.findIndex(isTaken)
    if (again > 0) return failed(`The event that was ignored was sent again ${counted(again, 'time')}.`)
    if (!next.taken) return failed('The event behind the one that was ignored did not come through.')
    return passed('The event was sent once, and the next one after it.')
  },
}
