import { convertedStatus } from '@lead-distribution/contract'
import { describeResponse, namesField } from '../expectations.ts'
import { firePixel, heldLeads, reportOnNewLead, reportStatus } from '../requests.ts'
import { type Probes, probeWith } from './probe.ts'

/** A name that is on neither list. */
const unlisted = 'put_on_the_shelf'

/** Open points about status updates and the pixel. */
export const reportProbes = {
  status_methods: probeWith(['advertiser'], async target => {
    const responses = []
    for (const method of ['POST', 'PATCH'] as const)
      responses.push({ method, status: (await reportOnNewLead(target, convertedStatus, { method })).status })
    const accepted = responses.filter(({ status }) => status === 200).map(({ method }) => method)
    const isClear = accepted.length > 0 && responses.every(({ status }) => [200, 404, 405, 501].includes(status))
    const described = responses.map(({ method, status }) => `${method} gets ${status}`).join(' and ')
    return [isClear ? accepted : undefined, `On separate leads, ${described}.`]
  }),

  status_vocabulary: probeWith(['advertiser'], async target => {
    const response = await reportOnNewLead(target, unlisted)
    const about = `The status ${unlisted}, which is on neither list, is`
    if (response.status === 200) return ['any', `${about} accepted.`]
    if (namesField(response, 'status')) return ['known', `${about} refused with a 400 that names the field.`]
    return [undefined, `${about} neither accepted nor refused with a 400 that names it: ${describeResponse(response)}.`]
  }),

  pixel_head: probeWith(['advertiser', 'postback_secret'], async target => {
    const lead_id = await target.distributedLead()
    const { status } = await target.call('HEAD', `${await target.postbackUrl(lead_id)}&event=completed`)
    const after = await firePixel(target, lead_id, 'completed')
    const about = `HEAD gets ${status}, and a GET after it`
    if (after.json?.status === 'received') return ['records_nothing', `${about} is the first report of the event.`]
    if (after.json?.status === 'ignored') return ['records', `${about} is a repeat of the event.`]
    return [undefined, `${about} gets ${describeResponse(after)}.`]
  }),

  distribution: probeWith(['second_advertiser'], async target => {
    let tried = 0
    for await (const { holders, willing = 0 } of heldLeads(target)) {
      tried += 1
      if (holders > 1) return ['all_accepting', `On one lead, ${holders} advertisers may report.`]
      if (holders === 1 && willing > 1) {
        const accepting = `By their criteria, ${willing} advertisers accept a lead`
        return ['first_accept', `${accepting}, and one of them may report on it.`]
      }
    }
    const none = `None of ${tried} leads with different amounts accepts reports from two advertisers`
    return [undefined, `${none}, and it is unknown whether two would have accepted one: pass --account.`]
  }),

  other_advertiser: probeWith(['second_advertiser'], async target => {
    for await (const { responses, holders, other: advertiser } of heldLeads(target)) {
      const response = responses[advertiser]
      if (holders === 0 || !response) continue
      const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
      const isAlike = unknown.status === response.status && unknown.json?.error === response.json?.error
      const compared = `${isAlike ? 'the same as' : `but ${unknown.status}`} for an unknown lead`
      return [`http_${response.status}`, `A report on another advertiser's lead gets ${response.status}, ${compared}.`]
    }
    return [undefined, 'Each lead that was tried belongs to all known advertisers, or to none.']
  }),
} satisfies Partial<Probes>
