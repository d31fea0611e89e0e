import { failed, passed } from '../../certify-check.ts'
import { isTaken } from '../report-call.ts'
import { counted, type LenderCheck } from './lender-check.ts'

/** Asked for twice, as by an impatient hand (Spec 4.3, rule 3). */
export const repeatHarmless: LenderCheck = {
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
export const repeatIgnored: LenderCheck = {
  id: 'repeat.ignored',
  spec: '4.3',
  expected: 'The status ignored is taken as success: the event is not sent again, and those behind it are.',
  mend: 'Treat ignored as received: the service has the event already.',
  async run(round) {
    const lead = await round.newLead()
    await round.tenant.leads.trigger(lead.lead_id, { event: 'registration' })
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
