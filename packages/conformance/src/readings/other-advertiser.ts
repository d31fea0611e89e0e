import { reportStatus } from '../report-status.ts'
import { heldLeads } from './lead-holders.ts'
import { probeOf } from './probe.ts'

/** Point 12 (Spec 4.2): how is the update of another advertiser's lead answered? */
export const otherAdvertiser = probeOf('other_advertiser', ['second_advertiser'], async target => {
  for await (const { replies, holders } of heldLeads(target)) {
    const advertiser = replies.findIndex(({ status }) => status !== 200)
    const reply = replies[advertiser]
    if (holders === 0 || !reply) continue
    const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
    const isAlike = unknown.status === reply.status && unknown.json?.error === reply.json?.error
    return [
      `http_${reply.status}`,
      `An advertiser that reports on another one's lead is answered ${reply.status}, ${isAlike ? 'the same as' : `and ${unknown.status}`} for an unknown lead.`,
    ]
  }
  return [undefined, 'Of the leads that were tried, each is of all the advertisers that are known, or of none.']
})
