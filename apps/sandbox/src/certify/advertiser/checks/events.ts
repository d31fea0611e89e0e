import { acceptedPixelEvents, type PixelEvent, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { examineEvent } from '@lead-distribution/contract/postback'
import { type Finding, failed, notSeen, passed } from '../../check.ts'
import { isTaken } from '../reports.ts'
import type { Asked } from '../round.ts'
import { type AdvertiserCheck, counted } from './advertiser-check.ts'

/** What has happened to a loan before each event. */
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

/** Asked for twice, as by an impatient hand (Spec 4.3, rule 3). */
export const repeatHarmless: AdvertiserCheck = {
  id: 'repeat.harmless',
  spec: '4.3',
  expected: 'An event that is reported a second time is sent once more at the most.',
  mend: 'Keep which events of a lead are reported. A repeat is ignored by the service: count it as done.',
  async run(round) {
    const lead = await round.newLead()
    const first = await round.ask(lead, 'registration')
    if (!first.taken) return failed(`${first.trouble}The first report did not come through.`)
    const from = first.calls.length
    await round.ask(lead, 'registration')
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
  mend: 'Treat ignored as received: the service has the event already.',
  async run(round) {
    const lead = await round.newLead()
    await round.session.ask<'triggerEvent'>('POST', ['leads', lead.lead_id, 'trigger'], {
      body: { event: 'registration' },
    })
    const { taken, trouble } = await round.ask(lead, 'registration')
    if (!taken) return failed(`${trouble}No report came through, although the service would have ignored it.`)
    const next = await round.ask(lead, 'approved')
    await round.quiet()
    const sent = round.callsOf(lead).filter(({ event }) => event === 'registration')
    const again = sent.length - 1 - sent.findIndex(isTaken)
    if (again > 0) return failed(`The event that was ignored was sent again ${counted(again, 'time')}.`)
    if (!next.taken) return failed('The event behind the one that was ignored did not come through.')
    return passed('The event was sent once, and the next one after it.')
  },
}
